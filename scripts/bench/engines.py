"""The engines that toktier-bench measures beside ours: one class each, all with the same four steps.

    load(model)   timed as load: what a user writes to open this file; model is a ModelFile
    warm()        not timed: imports that the engine puts off until its first call, on no text
    run(texts)    timed as a pass: the engine's own batch call on one thread, no special tokens added,
                  whatever it returns; ids need not be Python numbers
    ids(result)   not timed: the ids of each document as little-endian u32 bytes

`call` says in words what run() calls. `takes_text`: documents are str, else bytes.
"""

import array

from model_file import ModelError


def refuse(model, engine):
    raise ModelError(f"{model.kind} files are not served by {engine}")


class HuggingFace:
    package = "tokenizers"
    call = "Tokenizer.from_file; encode_batch_fast(texts, add_special_tokens=False)"
    takes_text = True

    def load(self, model):
        import tokenizers

        if model.kind != "tokenizer_json":
            refuse(model, self.package)
        self.tokenizer = tokenizers.Tokenizer.from_file(model.path)

    def warm(self):
        pass

    def run(self, texts):
        return self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)

    def ids(self, result):
        return [array.array("I", encoding.ids).tobytes() for encoding in result]


class Fastokens(HuggingFace):
    package = "fastokens"
    call = "Tokenizer.from_file; encode_batch_flat(texts, add_special_tokens=False)"

    def load(self, model):
        import fastokens

        if model.kind != "tokenizer_json":
            refuse(model, self.package)
        self.tokenizer = fastokens.Tokenizer.from_file(model.path)

    def run(self, texts):
        return self.tokenizer.encode_batch_flat(texts, add_special_tokens=False)

    def ids(self, result):
        flat, offsets = result
        ends = [4 * end for end in memoryview(offsets).cast("Q")]
        return [bytes(flat[begin:end]) for begin, end in zip(ends, ends[1:])]


class Gigatoken:
    package = "gigatoken"
    call = "Tokenizer(path) or from_tiktoken or from_sentencepiece; encode_batch(texts as bytes, parallel=False)"
    takes_text = False

    def load(self, model):
        import gigatoken

        if model.kind == "tokenizer_json":
            self.tokenizer = gigatoken.Tokenizer(model.path)
        elif model.kind == "ranks":
            self.tokenizer = gigatoken.Tokenizer.from_tiktoken(model.path)
        elif model.kind == "sentencepiece":
            self.tokenizer = gigatoken.Tokenizer.from_sentencepiece(model.path)
        else:
            refuse(model, self.package)

    def warm(self):
        # The array library of its results is imported by the first call.
        self.tokenizer.encode_batch([b""], parallel=False)

    def run(self, texts):
        return self.tokenizer.encode_batch(texts, parallel=False)

    def ids(self, result):
        import awkward
        import numpy

        flat = numpy.ascontiguousarray(awkward.to_numpy(awkward.flatten(result)), dtype="<u4")
        ends = numpy.cumsum(awkward.to_numpy(awkward.num(result))).tolist()
        return [flat[begin:end].tobytes() for begin, end in zip([0] + ends[:-1], ends)]


class Tiktoken:
    package = "tiktoken"
    call = "Encoding(pattern and ranks of the file); encode_to_numpy(text, disallowed_special=()) a document"
    takes_text = True

    def load(self, model):
        import tiktoken

        if model.kind not in ("ranks", "packed_ranks", "tekken"):
            refuse(model, self.package)
        pattern, ranks, special, self.offset = model.ranks()
        self.encoding = tiktoken.Encoding(name="file", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)

    def warm(self):
        import numpy  # noqa: F401

    def run(self, texts):
        encode = self.encoding.encode_to_numpy
        return [encode(text, disallowed_special=()) for text in texts]

    def ids(self, result):
        return [(ids + self.offset).astype("<u4").tobytes() for ids in result]


class SentencePiece:
    package = "sentencepiece"
    call = "SentencePieceProcessor(model_file); encode(texts as bytes, return_type='numpy', num_threads=1)"
    takes_text = False

    def load(self, model):
        import sentencepiece

        if model.kind != "sentencepiece":
            refuse(model, self.package)
        self.processor = sentencepiece.SentencePieceProcessor(model_file=model.path)

    def warm(self):
        import numpy  # noqa: F401

    def run(self, texts):
        return self.processor.encode(texts, return_type="numpy", num_threads=1)

    def ids(self, result):
        return [ids.astype("<u4").tobytes() for ids in result]


ENGINES = {"hf": HuggingFace, "tiktoken": Tiktoken, "spm": SentencePiece, "gigatoken": Gigatoken,
           "fastokens": Fastokens}
