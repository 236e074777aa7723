# Tells gpt2.cpp where the embedded file is (toktier_add_room includes the *.cmake of a room's folders).
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/gpt2.cpp PROPERTIES
  COMPILE_DEFINITIONS TOKTIER_EMBEDDED_GPT2="${CMAKE_CURRENT_LIST_DIR}/gpt2.tokenizer.json.zst"
  OBJECT_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/gpt2.tokenizer.json.zst)
