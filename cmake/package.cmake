# What `cmake --install` installs beside the program, and the Debian package (cpack in a build
# directory). Its name, unit and default file are prometheus-NAME-exporter, as Debian has them.
set(ckpt_package prometheus-pgcheckpoint-exporter)
set(ckpt_deploy ${PROJECT_SOURCE_DIR}/deploy)

# systemd looks here whatever the prefix's lib directory is.
install(FILES ${ckpt_deploy}/systemd/pgcheckpoint-exporter.service
        DESTINATION lib/systemd/system RENAME ${ckpt_package}.service)
install(FILES ${ckpt_deploy}/systemd/pgcheckpoint-exporter.socket
              ${PROJECT_SOURCE_DIR}/config/pgcheckpoint_exporter.yml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${ckpt_package}/examples)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  install(FILES ${ckpt_deploy}/systemd/pgcheckpoint-exporter.default
          DESTINATION /etc/default RENAME ${ckpt_package}
          PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
endif()

set(ckpt_shared ${CMAKE_INSTALL_DATADIR}/pgcheckpoint_exporter)
install(DIRECTORY ${ckpt_deploy}/prometheus/rules ${ckpt_deploy}/prometheus/scrape
        DESTINATION ${ckpt_shared}/prometheus)
foreach(extra grafana/dashboards grafana/provisioning deploy/sql)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${extra})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${extra} DESTINATION ${ckpt_shared})
  endif()
endforeach()

# The manual page: options as --help has them, the rest by hand.
find_program(CKPT_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(CKPT_GZIP gzip)
if(CKPT_PYTHON AND CKPT_GZIP)
  set(ckpt_man ${PROJECT_BINARY_DIR}/pgcheckpoint_exporter.1)
  add_custom_command(
    OUTPUT ${ckpt_man}.gz
    COMMAND ${CKPT_PYTHON} ${ckpt_deploy}/man/generate.py
            $<TARGET_FILE:pgcheckpoint_exporter> ${ckpt_man}
    COMMAND ${CKPT_GZIP} -9nf ${ckpt_man}
    DEPENDS pgcheckpoint_exporter ${ckpt_deploy}/man/generate.py ${ckpt_deploy}/man/sections.man
    VERBATIM)
  add_custom_target(man ALL DEPENDS ${ckpt_man}.gz)
  install(FILES ${ckpt_man}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ${ckpt_package})
set(CPACK_PACKAGE_CONTACT "The pgcheckpoint_exporter authors <pgcheckpoint_exporter@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Prometheus exporter for PostgreSQL checkpoints")
set(CPACK_PACKAGE_DESCRIPTION
    "Watches PostgreSQL 10 to 19 and turns checkpoints into metrics, events, forecasts and advice. \
One connection a server; no extension and no superuser.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "prometheus, grafana, postgresql")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(script conffiles postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${ckpt_deploy}/debian/${script})
endforeach()
include(CPack)
