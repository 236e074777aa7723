# Writes a header with the commit that is being built; run at every build (cmake -P), so that the programs never
# name the commit of an older configure step. The file is touched only when its text changes.
#
#   cmake -D SOURCE=ROOT -D OUTPUT=HEADER [-D GIT=PROGRAM] -P write_commit.cmake
#
# "unknown" without git, outside a repository, or in a copy of the sources inside another repository; "-dirty" is
# appended when something that goes into the programs differs from the commit.

set(commit unknown)
if(GIT)
  # Empty at the top of a working tree, "folder/" below it.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
      OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(commit ${hash})
      execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} status --porcelain
          -- CMakeLists.txt apps gpu lib replay scripts/cmake scripts/reference
        OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE failed)
      if(failed OR NOT changes STREQUAL "")
        string(APPEND commit "-dirty")
      endif()
    endif()
  endif()
endif()

set(text "#pragma once\n#define TOKTIER_BUILD_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
