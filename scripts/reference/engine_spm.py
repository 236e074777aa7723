"""Google SentencePiece: .model files. Texts go in as bytes, so spans come back in bytes."""

import itertools

import numpy as np

import frames
from model_file import ModelError


class Engine:
    name = "sentencepiece"
    takes_text = False
    capabilities = ("ids", "spans", "decode", "special:default", "special:none")

    def __init__(self, model, threads):
        import sentencepiece

        self.version = sentencepiece.__version__
        if model.kind != "sentencepiece":
            raise ModelError(f"{model.path}: {model.kind} is not served by this engine")
        self._threads = threads
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model.data)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            raise ModelError(f"{model.path}: refused by the reference: {error}") from None
        self.end_id = self._processor.get_piece_size()

    def unicode(self):
        return ""  # the normalization table is part of the model file

    def encode(self, texts, want, add_special, truncate, special):
        kind = "offset_mapping" if want & frames.WANT_SPANS else "numpy"
        try:
            found = self._processor.encode(list(texts), return_type=kind,
                                           num_threads=self._threads)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            if len(texts) == 1:
                return [error]
            found = None
        if found is None:
            results = []
            for text in texts:
                results.extend(self.encode([text], want, add_special, truncate, special))
            return results
        if kind == "numpy":
            return [(ids.astype(np.uint32), None, None) for ids in found]
        results = []
        for item in found:
            ids = np.array(item["ids"], dtype=np.uint32)
            spans = np.fromiter(itertools.chain.from_iterable(item["offsets"]),
                                dtype=np.uint32, count=2 * len(ids))
            results.append((ids, spans, None))
        return results

    def decode(self, lists, skip_special):
        results = []
        for ids in lists:
            try:
                results.append(self._processor.decode(ids).encode("utf-8") if ids else b"")
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                results.append(error)
        return results
