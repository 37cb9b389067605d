# SPDX-License-Identifier: Apache-2.0
"""Builders of Grafana's classic dashboard model, as far as our dashboards need it.

A panel is declared as what it shows: title, description, queries, unit. Everything that Grafana
wants besides is filled in here, so that it is the same everywhere. Ids and places on the grid
follow from the order of declaration.
"""

from __future__ import annotations

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
RUNBOOKS = "https://runbooks.example/pgcheckpoint_exporter/docs/runbooks.md"
TAG = "pgcheckpoint"

# Grafana's named colours. One meaning each, on every panel.
BAD, WARN, GOOD, CALM, MUTED = "red", "orange", "green", "blue", "#8e8e8e"
REASON_COLORS = {
    "wal": "semi-dark-red",
    "time": "semi-dark-blue",
    "request": "semi-dark-purple",
    "restart": "semi-dark-yellow",
}


def query(expr, legend="", *, instant=False, table=False, heatmap=False, hide=False):
    """One target. table: an instant query whose labels become columns."""
    target = {
        "datasource": DATASOURCE,
        "editorMode": "code",
        "expr": " ".join(expr.split()),
        "instant": instant or table,
        "range": not (instant or table),
        "legendFormat": legend or "__auto",
    }
    if table or heatmap:
        target["format"] = "table" if table else "heatmap"
    if hide:
        target["hide"] = True
    return target


def thresholds(base, *steps):
    """thresholds(GOOD, (0.5, WARN)): the colour from each value upwards."""
    listed = [{"color": base, "value": None}]
    return {
        "mode": "absolute",
        "steps": listed + [{"color": color, "value": value} for value, color in steps],
    }


def override(name, *, regex=False, **properties):
    """Properties of one series or column; `custom__x=` is written for Grafana's `custom.x`."""
    return {
        "matcher": {"id": "byRegexp" if regex else "byName", "options": name},
        "properties": [
            {"id": key.replace("__", "."), "value": value} for key, value in properties.items()
        ],
    }


def color(name, value, **more):
    return override(name, color={"mode": "fixed", "fixedColor": value}, **more)


def mapping(texts):
    """Value mappings: {1: ("up", GOOD)}."""
    options = {
        str(value): {"text": text, "color": shade, "index": index}
        for index, (value, (text, shade)) in enumerate(texts.items())
    }
    return [{"type": "value", "options": options}]


def special(match, text, shade):
    """The mapping of null or NaN."""
    return [{"type": "special", "options": {"match": match, "result": {"text": text, "color": shade}}}]


def panel(kind, title, description, queries, unit, size, *, defaults=None, options=None,
          overrides=(), custom=None, links=(), min_step="", transformations=()):
    """size: (width of 24, height). min_step: the smallest step, where the data is slow by nature."""
    for letter, target in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", queries):
        target["refId"] = letter
    field_defaults = {"unit": unit, **(defaults or {})}
    field_defaults.setdefault("color", {"mode": "palette-classic"})
    field_defaults.setdefault("thresholds", thresholds(GOOD))
    if custom:
        field_defaults["custom"] = custom
    made = {
        "type": kind,
        "title": title,
        "description": " ".join(description.split()),
        "datasource": DATASOURCE,
        "targets": list(queries),
        "fieldConfig": {"defaults": field_defaults, "overrides": list(overrides)},
        "options": options or {},
        "gridPos": {"w": size[0], "h": size[1]},
    }
    if links:
        made["links"] = list(links)
    if min_step:
        made["interval"] = min_step
    if transformations:
        made["transformations"] = list(transformations)
    return made


def graph(title, description, queries, unit, size=(12, 8), *, stack=False, fill=0, points=False,
          bars=False, calcs=(), overrides=(), low=0, high=None, legend_right=False,
          decimals=None, **more):
    """A time series panel. points: one mark a value and no line."""
    style = {
        "drawStyle": "points" if points else "bars" if bars else "line",
        "lineWidth": 1,
        "lineInterpolation": "linear",
        "fillOpacity": 80 if bars else fill,
        "pointSize": 7 if points else 4,
        "showPoints": "always" if points else "never",
        "spanNulls": False,
        "stacking": {"mode": "normal" if stack else "none", "group": "A"},
        "axisBorderShow": False,
    }
    defaults = {}
    if low is not None:
        defaults["min"] = low
    if high is not None:
        defaults["max"] = high
    if decimals is not None:
        defaults["decimals"] = decimals
    return panel(
        "timeseries", title, description, queries, unit, size,
        defaults=defaults, custom=style, overrides=overrides,
        options={
            "legend": {
                "showLegend": True,
                "displayMode": "table" if calcs else "list",
                "placement": "right" if legend_right else "bottom",
                "calcs": list(calcs),
            },
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        **more,
    )


def dashed(name, shade, **more):
    """A series that is a limit rather than a measurement."""
    return color(name, shade, custom__lineStyle={"fill": "dash", "dash": [8, 6]},
                 custom__fillOpacity=0, custom__lineWidth=2, **more)


def band(name, shade, opacity):
    """A 0..1 series as a band over the whole height, on an axis of its own that is not shown."""
    return color(
        name, shade, unit="percentunit", min=0, max=1,
        custom__axisPlacement="hidden", custom__drawStyle="line", custom__lineWidth=0,
        custom__fillOpacity=opacity, custom__lineInterpolation="stepAfter",
        custom__showPoints="never", custom__stacking={"mode": "none", "group": "band"},
        custom__thresholdsStyle={"mode": "off"},
    )


def stat(title, description, queries, unit, size=(3, 4), *, steps=None, mappings=(), decimals=None,
         links=(), overrides=(), no_value="no data", color_background=False):
    """The last value, large; with several queries their legends stand beside the values."""
    defaults = {
        "color": {"mode": "thresholds"},
        "thresholds": steps or thresholds("text"),
        "mappings": list(mappings),
        "noValue": no_value,
    }
    if decimals is not None:
        defaults["decimals"] = decimals
    return panel(
        "stat", title, description, queries, unit, size,
        defaults=defaults, links=links, overrides=overrides,
        options={
            "colorMode": "background" if color_background else "value",
            "graphMode": "none",
            "justifyMode": "center",
            "orientation": "horizontal",
            "textMode": "auto" if len(queries) == 1 else "value_and_name",
            "text": {} if len(queries) == 1 else {"titleSize": 13, "valueSize": 24},
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        },
    )


def table(title, description, queries, size, *, overrides=(), sort=None, hide=(), order=(),
          no_value="–", **more):
    """Instant queries, merged by their labels. sort: (shown column, descending)."""
    options = {"showHeader": True, "cellHeight": "sm", "footer": {"show": False}}
    if sort:
        options["sortBy"] = [{"displayName": sort[0], "desc": sort[1]}]
    organize = {
        "excludeByName": {name: True for name in ("Time", *hide)},
        "indexByName": {name: index for index, name in enumerate(order)},
        "renameByName": {},
    }
    return panel(
        "table", title, description, queries, "none", size,
        defaults={"color": {"mode": "thresholds"}, "thresholds": thresholds("text"),
                  "noValue": no_value},
        custom={"align": "auto", "cellOptions": {"type": "auto"}, "filterable": False},
        overrides=overrides, options=options,
        transformations=[{"id": "merge", "options": {}},
                         {"id": "organize", "options": organize}],
        **more,
    )


def colored(name, shown, unit, steps=None, **more):
    """A table column: its header, unit and, with steps, its colour by value."""
    if steps:
        more["thresholds"] = steps
        more["custom__cellOptions"] = {"type": "color-text"}
    return override(name, displayName=shown, unit=unit, **more)


def link(title, url, *, icon="dashboard", tooltip="", new_tab=False):
    """A link of a dashboard or a panel. Links of table columns are title and url only."""
    return {"type": "link", "title": title, "url": url, "icon": icon, "tooltip": tooltip, "tags": [],
            "asDropdown": False, "includeVars": False, "keepTime": False, "targetBlank": new_tab}


def row(title):
    return {"type": "row", "title": title, "collapsed": False, "panels": [],
            "gridPos": {"w": 24, "h": 1}}


def variable(name, label, expr, *, many=True, hide=0, regex="", sort=1):
    """A variable from Prometheus. many: several values may be chosen, and All."""
    expr = " ".join(expr.split())
    made = {
        "type": "query", "name": name, "label": label, "datasource": DATASOURCE,
        "query": {"query": expr, "refId": name}, "definition": expr,
        "refresh": 2, "regex": regex, "sort": sort, "hide": hide, "multi": many,
        "includeAll": many, "options": [], "skipUrlSync": False,
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]} if many else
                   {"selected": False, "text": "", "value": ""},
    }
    if many:
        made["allValue"] = ".+"
    return made


def standard_variables():
    """What every dashboard begins with."""
    return [
        {"type": "datasource", "name": "datasource", "label": "Data source",
         "query": "prometheus", "refresh": 1, "regex": "", "hide": 0, "multi": False,
         "includeAll": False, "options": [], "skipUrlSync": False,
         "current": {"selected": False, "text": "", "value": ""}},
        variable("job", "Job", "label_values(pgcheckpoint_up, job)"),
        variable("instance", "Instance", 'label_values(pgcheckpoint_up{job=~"$job"}, instance)'),
    ]


def annotation(name, expr, shade, *, title, text="{{target}}", tags="", exact=False, step="",
               panels=(), enable=True):
    """exact: the value is the time of the event in milliseconds. panels: titles; none is all."""
    made = {
        "name": name, "enable": enable, "hide": False, "iconColor": shade,
        "datasource": DATASOURCE, "expr": " ".join(expr.split()), "step": step,
        "titleFormat": title, "textFormat": text, "tagKeys": tags, "useValueForTime": exact,
    }
    if panels:
        made["filter"] = {"exclude": False, "ids": list(panels)}
    return made


def place(panels):
    """Gives every panel its id and its place: from left to right, then the next line."""
    x = y = line = 0
    for number, made in enumerate(panels, start=1):
        width, height = made["gridPos"]["w"], made["gridPos"]["h"]
        if x + width > 24:
            x, y, line = 0, y + line, 0
        made["id"] = number
        made["gridPos"] = {"x": x, "y": y, "w": width, "h": height}
        x, line = x + width, max(line, height)


def dashboard(uid, title, description, variables, panels, annotations=(), *, since="now-1h"):
    place(panels)
    by_title = {made["title"]: made["id"] for made in panels}
    for made in annotations:
        if "filter" in made:
            made["filter"]["ids"] = [by_title[name] for name in made["filter"]["ids"]]
    return {
        "id": None, "uid": uid, "title": title, "description": " ".join(description.split()),
        "tags": ["postgresql", TAG], "editable": False, "graphTooltip": 1, "timezone": "browser",
        "refresh": "30s", "schemaVersion": 39, "version": 1, "fiscalYearStartMonth": 0,
        "liveNow": False, "weekStart": "",
        "time": {"from": since, "to": "now"},
        "timepicker": {"refresh_intervals": ["5s", "15s", "30s", "1m", "5m", "15m"]},
        "links": [
            {"type": "dashboards", "title": "Checkpoint dashboards", "tags": [TAG],
             "asDropdown": True, "icon": "external link", "includeVars": True, "keepTime": True,
             "targetBlank": False, "tooltip": "", "url": ""},
            link("Runbooks", RUNBOOKS, icon="doc", new_tab=True,
                 tooltip="What each alert means, how to confirm it and what to do"),
        ],
        "annotations": {"list": list(annotations)},
        "templating": {"list": list(variables)},
        "panels": list(panels),
    }
