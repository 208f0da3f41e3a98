# Set CMAKE_PREFIX_PATH to the folder `capi`. Then find_package(unspool) defines the target
# unspool::unspool, which builds the archive with cargo.
#
#   UNSPOOL_FEATURES   formats and further features, comma-separated: zstd,small
#                      (default: all formats)
#   UNSPOOL_TARGET     a Rust target, for devices: thumbv6m-none-eabi (default: this machine)
#   UNSPOOL_PROFILE    release, firmware for the smallest code, firmware-fast
#                      (default: release; for devices firmware)

if(TARGET unspool::unspool)
  return()
endif()

get_filename_component(UNSPOOL_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_program(UNSPOOL_CARGO cargo REQUIRED)
if(NOT UNSPOOL_PROFILE AND UNSPOOL_TARGET)
  set(UNSPOOL_PROFILE firmware)
elseif(NOT UNSPOOL_PROFILE)
  set(UNSPOOL_PROFILE release)
endif()

# Each project has an archive of its own. In a shared folder, projects with different features would
# overwrite each other's archive.
set(UNSPOOL_FOLDER "${CMAKE_BINARY_DIR}/unspool")
set(UNSPOOL_ARGUMENTS --locked -p unspool-capi --profile ${UNSPOOL_PROFILE} --target-dir "${UNSPOOL_FOLDER}")
if(UNSPOOL_FEATURES OR UNSPOOL_TARGET)
  if(NOT UNSPOOL_FEATURES)
    set(UNSPOOL_FEATURES zstd,xz,pco,onpair,cvc,at1)
  endif()
  set(UNSPOOL_ALL "${UNSPOOL_FEATURES}")
  if(NOT UNSPOOL_TARGET)
    # A hosted program links with the unwinder in Rust's standard library, although it never panics.
    string(APPEND UNSPOOL_ALL ",std")
  endif()
  list(APPEND UNSPOOL_ARGUMENTS --no-default-features --features ${UNSPOOL_ALL})
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
# The header has to know which structs are smaller.
if("${UNSPOOL_FEATURES}" MATCHES "(^|,)small(,|$)")
  set_property(TARGET unspool::unspool PROPERTY INTERFACE_COMPILE_DEFINITIONS UNSPOOL_SMALL)
endif()
if(NOT UNSPOOL_TARGET)
  set_property(TARGET unspool::unspool PROPERTY INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
# Drops what the program does not call, which is most of the archive.
if(NOT APPLE)
  set_property(TARGET unspool::unspool PROPERTY INTERFACE_LINK_OPTIONS "-Wl,--gc-sections")
endif()
