# The only place with compiler flags. ckpt_flags is linked by every target of ours.
add_library(ckpt_flags INTERFACE)

target_compile_options(ckpt_flags INTERFACE
  -Wall -Wextra -Wpedantic
  -Wconversion -Wsign-conversion  # counters are 64 bit; a narrowing would be a wrong number
  -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
  -Wmissing-declarations -Wundef -Wcast-qual -Wformat=2
  # Table rows name only the fields they need; the rest have defaults on purpose.
  -Wno-missing-field-initializers
  # GCC 12 reports it for std::string's own operator+ when it optimises (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${CKPT_WERROR}>:-Werror>)

if(CKPT_SANITIZE STREQUAL "address")
  set(_sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(CKPT_SANITIZE STREQUAL "thread")
  set(_sanitize -fsanitize=thread -fno-omit-frame-pointer)
  # GCC warns of the memory fences inside Boost.Asio, which it does not instrument.
  target_compile_options(ckpt_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
elseif(CKPT_SANITIZE)
  message(FATAL_ERROR "CKPT_SANITIZE must be address, thread or empty, not '${CKPT_SANITIZE}'")
endif()
if(_sanitize)
  target_compile_options(ckpt_flags INTERFACE ${_sanitize})
  target_link_options(ckpt_flags INTERFACE ${_sanitize})
endif()

# Hardening that Debian applies to its own packages.
target_compile_options(ckpt_flags INTERFACE -fstack-protector-strong)
if(NOT CKPT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(ckpt_flags INTERFACE -D_FORTIFY_SOURCE=2)
endif()
target_link_options(ckpt_flags INTERFACE LINKER:-z,relro LINKER:-z,now)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
