# Debian's zstd exports libzstd_shared and libzstd_static only; toktier_zstd picks the shared one.
find_package(zstd CONFIG REQUIRED)
add_library(toktier_zstd INTERFACE)
target_link_libraries(toktier_zstd INTERFACE zstd::libzstd_shared)
