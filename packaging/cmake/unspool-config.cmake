# find_package(unspool) defines the target unspool::unspool: the archive for the compiler and flags
# of the project, and the headers. Set CMAKE_PREFIX_PATH to the folder of the package.
#
#   UNSPOOL_TARGET   the name of a folder in `lib` without its ending (default: asks the compiler)
#   UNSPOOL_FAST     for devices, the fast archive instead of the small one (default: OFF)

if(TARGET unspool::unspool)
  return()
endif()

get_filename_component(UNSPOOL_ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT UNSPOOL_TARGET)
  # A project may have C++ alone.
  set(unspool_language C)
  if(NOT CMAKE_C_COMPILER)
    set(unspool_language CXX)
  endif()
  separate_arguments(unspool_flags UNIX_COMMAND "${CMAKE_${unspool_language}_FLAGS}")
  if(CMAKE_${unspool_language}_COMPILER_TARGET)
    list(APPEND unspool_flags "--target=${CMAKE_${unspool_language}_COMPILER_TARGET}")
  endif()
  execute_process(
    COMMAND ${CMAKE_${unspool_language}_COMPILER} ${unspool_flags} -x c -E -P "${UNSPOOL_ROOT}/target.h"
    OUTPUT_VARIABLE UNSPOOL_TARGET
    ERROR_QUIET)
  string(REGEX REPLACE "[\"\n\r ]" "" UNSPOOL_TARGET "${UNSPOOL_TARGET}")
endif()

# Archives for Linux have one kind.
set(unspool_folder "${UNSPOOL_ROOT}/lib/${UNSPOOL_TARGET}")
if(NOT EXISTS "${unspool_folder}")
  if(UNSPOOL_FAST)
    string(APPEND unspool_folder "-fast")
  else()
    string(APPEND unspool_folder "-small")
  endif()
endif()
if(NOT EXISTS "${unspool_folder}/libunspool.a")
  set(unspool_FOUND FALSE)
  set(unspool_NOT_FOUND_MESSAGE "no archive for the target '${UNSPOOL_TARGET}' in ${UNSPOOL_ROOT}/lib")
  return()
endif()

add_library(unspool::unspool STATIC IMPORTED GLOBAL)
set_target_properties(unspool::unspool PROPERTIES
  IMPORTED_LOCATION "${unspool_folder}/libunspool.a"
  INTERFACE_INCLUDE_DIRECTORIES "${UNSPOOL_ROOT}/include"
  # Drops what the program does not call, which is most of the archive.
  INTERFACE_LINK_OPTIONS "-Wl,--gc-sections")
# The header has to know which structs are smaller.
if(unspool_folder MATCHES "-small$")
  set_property(TARGET unspool::unspool PROPERTY INTERFACE_COMPILE_DEFINITIONS UNSPOOL_SMALL)
endif()
if(UNSPOOL_TARGET MATCHES "linux")
  set_property(TARGET unspool::unspool PROPERTY INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
