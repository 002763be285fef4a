/**
 * Runs a bundle from V8's own compiled form, which the build leaves beside it; a Node of another version compiles it
 * anew. It lies in dist/, beside them.
 */
"use strict";
const { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");
const { Script } = require("node:vm");

/** The same as `node:module`, which would also load the loader of ESM. */
const Module = module.constructor;

/**
 * Answers whether there is such a bundle. `parts: "held"` is for a process that lives long: an upgrade replaces the
 * files of a program that runs, so those of its own parts are opened now and read when they are needed.
 * `keep` gets what V8 has compiled of each file by the time the process ends well.
 */
exports.runCompiled = (bundle, { useCompiled = true, parts, keep } = {}) => {
  const source = read(bundle);
  if (source === undefined) return false;
  const folder = dirname(bundle);
  const main = moduleAt(bundle);
  main.paths = module.paths;
  // The other parts of the bundle ask for this one, and must get the one that runs.
  require.cache[bundle] = main;
  const held = parts === "held" ? hold(bundle) : new Map();
  const loaded = new Map([[`./${basename(bundle)}`, main]]);

  const run = (part, text, compiled) => {
    const script = new Script(Module.wrap(text), { filename: part.filename, cachedData: compiled });
    if (keep !== undefined) keepAtTheEnd(script, part.filename, keep);
    script.runInThisContext().call(part.exports, part.exports, ask, part, part.filename, folder);
    part.loaded = true;
  };
  const ask = (id) => {
    const known = loaded.get(id);
    if (known !== undefined) return known.exports;
    const file = held.get(id);
    if (file === undefined) return compiledPart(id) ?? main.require(id);
    const part = moduleAt(join(folder, id));
    loaded.set(id, part);
    try {
      // V8 would accept what was compiled from another file of the same length.
      const isOurs = useCompiled && isStillAt(part.filename, file);
      run(part, textOf(file), isOurs ? compiledBeside(part.filename) : undefined);
    } catch (error) {
      loaded.delete(id);
      throw error;
    }
    held.delete(id);
    closeSync(file);
    return part.exports;
  };
  /** A part that the build compiles too: Node's own way would search for it, and compile it at every start. */
  const compiledPart = (id) => {
    const path = join(folder, id);
    if (!id.startsWith("./") || require.cache[path] !== undefined) return undefined;
    const compiled = useCompiled ? compiledBeside(path) : undefined;
    const text = compiled !== undefined || keep !== undefined ? read(path) : undefined;
    if (text === undefined) return undefined;
    const part = moduleAt(path);
    // Parts that Node loads must get this one too.
    require.cache[path] = part;
    loaded.set(id, part);
    run(part, text.toString("latin1"), compiled);
    return part.exports;
  };
  run(main, source.toString("latin1"), useCompiled ? compiledBeside(bundle) : undefined);
  return true;
};

function moduleAt(path) {
  const made = new Module(path, module);
  made.filename = path;
  return made;
}

function hold(bundle) {
  const prefix = `${basename(bundle, ".cjs")}-`;
  const names = readdirSync(dirname(bundle)).filter(
    (name) => name.startsWith(prefix) && name.endsWith(".cjs"),
  );
  return new Map(names.map((name) => [`./${name}`, openSync(join(dirname(bundle), name), "r")]));
}

function isStillAt(path, file) {
  try {
    const [there, held] = [statSync(path), fstatSync(file)];
    return there.ino === held.ino && there.dev === held.dev;
  } catch {
    return false;
  }
}

/** From its beginning, also after an attempt that failed. */
function textOf(file) {
  const bytes = Buffer.allocUnsafe(fstatSync(file).size);
  readSync(file, bytes, 0, bytes.length, 0);
  return bytes.toString("latin1");
}

function keepAtTheEnd(script, file, keep) {
  process.on("exit", (status) => {
    if (status === 0) keep(compiledPath(file), script.createCachedData());
  });
}

const compiledPath = (file) => file.replace(/\.cjs$/, ".compiled");
const compiledBeside = (file) => read(compiledPath(file));

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
