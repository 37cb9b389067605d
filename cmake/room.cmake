# ckpt_room(NAME SOURCES a.cc ... [PUBLIC libs...] [PRIVATE libs...])
# One room is one static library ckpt_NAME with explicit links, so that an upward dependency fails
# to link in the room's own unit test.
function(ckpt_room name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(ckpt_${name} STATIC ${arg_SOURCES})
  target_include_directories(ckpt_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(ckpt_${name} PUBLIC ${arg_PUBLIC} PRIVATE ckpt_flags ${arg_PRIVATE})
endfunction()

# ckpt_unit_test(ROOM SOURCES a_test.cc ... [LINKS libs...]): an executable test_ROOM that links only that room (and gtest).
function(ckpt_unit_test room)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(test_${room} ${arg_SOURCES})
  target_include_directories(test_${room} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${room} PRIVATE
    CKPT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures"
    CKPT_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
  target_link_libraries(test_${room} PRIVATE ckpt_${room} ckpt_flags ${arg_LINKS} GTest::gmock GTest::gtest_main)
  add_test(NAME unit_${room} COMMAND test_${room} --gtest_brief=1)
  set_tests_properties(unit_${room} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()
