# xxhash ships no CMake package on Debian; the header-only form needs nothing else.
find_path(TOKTIER_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(toktier_xxhash INTERFACE)
target_include_directories(toktier_xxhash SYSTEM INTERFACE ${TOKTIER_XXHASH_INCLUDE_DIR})
target_compile_definitions(toktier_xxhash INTERFACE XXH_INLINE_ALL)
