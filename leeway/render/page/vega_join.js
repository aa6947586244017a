// Joins Vega's parts into one `vega`. Each part calls part(name, body) with its body as a CommonJS module; the parts
// follow at the line that names them.
const vega = (() => {
  "use strict";
  const modules = { "topojson-client": {} };
  const part = (name, body) => {
    const module = { exports: {} };
    body(module.exports, module, (other) => modules[other], undefined);
    modules[name] = module.exports;
    if (name === "vega-selection") modules["vega-selections"] = module.exports;
  };
  //PARTS//
  const joined = {};
  for (const name of ["statistics", "time", "util", "loader", "scenegraph", "dataflow", "scale", "view", "functions",
    "parser", "runtime", "expression", "event-selector", "interpreter"]) {
    Object.assign(joined, modules["vega-" + name]);
  }
  const dataflow = modules["vega-dataflow"];
  Object.assign(dataflow.transforms, modules["vega-transforms"], modules["vega-view-transforms"], modules["vega-encode"]);
  joined.transforms = dataflow.transforms;
  return joined;
})();
