# The session store's file. CMake's own module finds Debian's package.
find_package(SQLite3 3.35 REQUIRED)
add_library(toktier_sqlite INTERFACE)
target_link_libraries(toktier_sqlite INTERFACE SQLite::SQLite3)
