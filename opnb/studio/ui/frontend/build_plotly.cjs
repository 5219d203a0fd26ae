// Builds plotly-<version>.min.js with the kinds of traces that our figures use, and the licences of all that is in it:
//     node opnb/studio/ui/frontend/build_plotly.cjs
// Needs Node 20 and the npm registry. The version is that of the plotly.js in the Python package.
const { execFileSync } = require("child_process");
const { mkdtempSync, readFileSync, readdirSync, writeFileSync } = require("fs");
const { join } = require("path");

const VERSION = "4.1.1";
const TRACES = ["bar", "box", "heatmap", "scatter", "scattergl"];
const TOOLS = ["esbuild@0.28.1", "acorn@8.15.0", "acorn-walk@8.3.4", "buffer@6.0.3", "stream-browserify@3.0.0"];
const name = `plotly-${VERSION}`;

process.chdir(mkdtempSync(join(require("os").tmpdir(), "plotly-")));
writeFileSync("package.json", "{}");
const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
execFileSync("npm", ["install", ...quietly, `plotly.js@${VERSION}`, ...TOOLS], { stdio: "inherit" });
const traces = TRACES.map((trace) => `require("plotly.js/lib/${trace}")`);
writeFileSync("ours.js", `module.exports = require("plotly.js/lib/core");\nmodule.exports.register([${traces}]);\n`);

const tool = (name) => require(join(process.cwd(), "node_modules", name));

// Plotly's own files leave out the words of its reference too.
const withoutWords = {
  name: "without words",
  setup: (build) =>
    build.onLoad({ filter: /plotly\.js[\\/]src[\\/].*\.js$/ }, ({ path }) => ({
      contents: silenced(readFileSync(path, "utf8")),
    })),
};

function silenced(text) {
  const words = [];
  tool("acorn-walk").simple(tool("acorn").parse(text, { ecmaVersion: "latest" }), {
    Property({ key, value }) {
      const joined = value.type === "CallExpression" && value.callee.property?.name === "join";
      if (key.name === "description" && (joined || value.type === "Literal")) words.push(value);
    },
  });
  words.sort((one, other) => other.start - one.start); // from the end, so that places stay true
  return words.reduce((left, { start, end }) => `${left.slice(0, start)}""${left.slice(end)}`, text);
}

async function build() {
  const { metafile } = await tool("esbuild").build({
    entryPoints: ["ours.js"],
    outfile: "ours.min.js",
    bundle: true,
    minify: true,
    metafile: true,
    format: "iife",
    globalName: "Plotly",
    target: "es2020",
    legalComments: "none", // all of them are in the file of licences
    loader: { ".glsl": "text" },
    alias: { regl: "@plotly/regl", stream: "stream-browserify" },
    define: { global: "window", "define.amd": "false", "process.env.NODE_DEBUG": "false" },
    plugins: [withoutWords],
  });
  const parts = Object.entries(metafile.outputs["ours.min.js"].inputs).filter(([, part]) => part.bytesInOutput);
  writeFileSync(join(__dirname, `${name}.LICENSES.txt`), licences(parts.map(([path]) => path)));
  const head = readFileSync("node_modules/plotly.js/dist/plotly.min.js", "utf8").match(/^\/\*\*[^]*?\*\//)[0];
  const note = `/* A part of it: ${TRACES.join(", ")}. Licences of all that is in it: ${name}.LICENSES.txt */`;
  writeFileSync(join(__dirname, `${name}.min.js`), `${head}\n${note}\n${readFileSync("ours.min.js", "utf8")}`);
}

function licences(paths) {
  const folders = paths.map((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(`${folder}/package.json`));
    const file = readdirSync(folder).find((file) => /^(licen[cs]e|copying)/i.test(file));
    const said = `Licence: ${license}. Author: ${author?.name ?? author ?? "not named"}.`;
    return `${name} ${version}\n\n${file ? readFileSync(`${folder}/${file}`, "utf8").trim() : said}`;
  });
  return texts.join(`\n\n${"-".repeat(80)}\n\n`) + "\n";
}

build();
