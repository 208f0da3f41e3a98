# find_package(unspool) with CMAKE_PREFIX_PATH set to the folder `capi` gives the target unspool::unspool, which builds the archive with cargo.
#
#   UNSPOOL_FEATURES   formats, comma-separated (default: all)
#   UNSPOOL_TARGET     a Rust target, for devices (default: this machine)
#   UNSPOOL_PROFILE    release, or firmware for the smallest code (default: release)

if(TARGET unspool::unspool)
  return()
endif()

get_filename_component(UNSPOOL_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_program(UNSPOOL_CARGO cargo REQUIRED)
if(NOT UNSPOOL_PROFILE)
  set(UNSPOOL_PROFILE release)
endif()

set(UNSPOOL_ARGUMENTS --locked -p unspool-capi --profile ${UNSPOOL_PROFILE})
if(DEFINED ENV{CARGO_TARGET_DIR})
  set(UNSPOOL_FOLDER "$ENV{CARGO_TARGET_DIR}")
else()
  set(UNSPOOL_FOLDER "${UNSPOOL_ROOT}/target")
endif()
if(UNSPOOL_FEATURES OR UNSPOOL_TARGET)
  if(NOT UNSPOOL_FEATURES)
    set(UNSPOOL_FEATURES zstd,xz,pco,onpair,cvc,at1)
  endif()
  list(APPEND UNSPOOL_ARGUMENTS --no-default-features --features ${UNSPOOL_FEATURES})
endif()
if(UNSPOOL_TARGET)
  list(APPEND UNSPOOL_ARGUMENTS --target ${UNSPOOL_TARGET})
  string(APPEND UNSPOOL_FOLDER "/${UNSPOOL_TARGET}")
endif()
set(UNSPOOL_ARCHIVE "${UNSPOOL_FOLDER}/${UNSPOOL_PROFILE}/libunspool_capi.a")

# Cargo knows best whether anything has changed, and is asked every time.
add_custom_target(unspool_archive
  COMMAND ${UNSPOOL_CARGO} rustc ${UNSPOOL_ARGUMENTS} --crate-type staticlib
  BYPRODUCTS "${UNSPOOL_ARCHIVE}"
  WORKING_DIRECTORY "${UNSPOOL_ROOT}"
  VERBATIM)

add_library(unspool::unspool STATIC IMPORTED GLOBAL)
add_dependencies(unspool::unspool unspool_archive)
set_target_properties(unspool::unspool PROPERTIES
  IMPORTED_LOCATION "${UNSPOOL_ARCHIVE}"
  INTERFACE_INCLUDE_DIRECTORIES "${UNSPOOL_ROOT}/capi/include")
if(NOT UNSPOOL_TARGET)
  set_property(TARGET unspool::unspool PROPERTY INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
