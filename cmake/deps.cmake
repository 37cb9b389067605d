# Third-party libraries behind names of ours, so that differences between distributions stay here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# libpqxx 6 ships no CMake configuration; pkg-config works for 6 and 7.
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx)
add_library(deps::pqxx ALIAS PkgConfig::pqxx)

# A login with a deadline needs libpq's non-blocking connect, which libpqxx 6 does not offer.
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)
add_library(deps::libpq ALIAS PkgConfig::libpq)

# yaml-cpp renamed its target in 0.8.
find_package(yaml-cpp REQUIRED)
add_library(ckpt_deps_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(ckpt_deps_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(ckpt_deps_yaml INTERFACE yaml-cpp)
endif()
add_library(deps::yaml ALIAS ckpt_deps_yaml)

# prometheus-cpp's own configuration looks up civetweb and curl, which the core library does not
# need and which would then have to be installed; pkg-config asks for the core alone.
pkg_check_modules(prometheus_core REQUIRED IMPORTED_TARGET prometheus-cpp-core)
add_library(deps::prometheus_core ALIAS PkgConfig::prometheus_core)

find_package(spdlog REQUIRED)
add_library(deps::spdlog ALIAS spdlog::spdlog)

find_package(CLI11 REQUIRED)
add_library(deps::cli11 ALIAS CLI11::CLI11)

find_package(nlohmann_json REQUIRED)
add_library(deps::json ALIAS nlohmann_json::nlohmann_json)

find_package(Boost 1.74 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
