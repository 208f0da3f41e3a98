# The same version as in the package.
include("${CMAKE_CURRENT_LIST_DIR}/../../packaging/cmake/unspool-config-version.cmake")
