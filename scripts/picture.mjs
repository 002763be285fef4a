// node scripts/picture.mjs [demo|phone|webhooks]…: draws the pictures in docs/, each from a run that happens now.
import { join } from "node:path";
import { save } from "./drawing.mjs";
import { build, ensureNode, ensurePackages, root } from "./ensure.mjs";
import { phonePicture } from "./phone-picture.mjs";
import { COLUMNS, terminalPicture } from "./terminal-picture.mjs";

ensureNode();
ensurePackages();
build();

const PICTURES = {
  demo: async () =>
    terminalPicture({
      printed: withoutMachine(await printedBy(join(root, "scripts", "demo.mjs")))
        // Removes what the next scene shows again.
        .replace(/\$ bellhop up\n[\s\S]*?(?=\$)/, "")
        .replace(/\x1b\[1mWhat became of the message[\s\S]*?(?=\x1b\[1m)/, ""),
      name: "npm run demo",
      title:
        "npm run demo: a message is held while someone types, delivered, answered; the unsent text is put back",
    }),
  phone: async () => {
    const told = await printedBy(
      join(root, "bin", "bellhop.cjs"),
      "bridge",
      "rehearse",
      "telegram",
      "--json",
    );
    const { conversation } = JSON.parse(told.slice(told.indexOf("{"), told.lastIndexOf("}") + 1));
    return phonePicture({
      conversation: conversation.map((spoken) => ({ ...spoken, text: asWritten(spoken.text) })),
      title:
        "bellhop bridge rehearse telegram: a person answers agents from their phone, and approves a permission",
    });
  },
  webhooks: async () =>
    terminalPicture({
      printed: withoutMachine(await printedBy(join(root, "demo", "webhook-story.mjs"))),
      name: "docs/webhooks.md",
      title: "GitHub tells of a new issue: the signature is checked, and the agent that subscribes reads it",
    }),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(PICTURES, name));
if (unknown.length > 0) throw new Error(`There is no picture called ${unknown.join(", ")}.`);
for (const [name, draw] of Object.entries(PICTURES))
  if (wanted.length === 0 || wanted.includes(name)) save(join(root, "docs", `${name}.svg`), await draw());

/** In its own terminal, because stories are bold only on a terminal. */
async function printedBy(...command) {
  const { default: pty } = await import("@lydell/node-pty");
  const story = pty.spawn(process.execPath, command, {
    // JSON has long lines.
    cols: command.includes("--json") ? 30_000 : COLUMNS,
    rows: 50,
    cwd: root,
    env: { ...process.env, TERM: "xterm-256color" },
  });
  let text = "";
  story.onData((data) => {
    text += data;
  });
  const exitCode = await new Promise((resolve) => story.onExit((ended) => resolve(ended.exitCode)));
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed:\n${text}`);
  return text.replaceAll("\r", "");
}

function withoutMachine(printed) {
  const story = printed
    .replace(/^[\s\S]*?(?=\x1b\[1m)/, "")
    .replaceAll(/\/[\w/.-]*\/bh-demo-\w+/g, "/tmp/demo");
  return story.trimEnd();
}

/** The user's name, as the pages write it. */
function asWritten(text) {
  return text.replace(/^\[message from: \S+ /, "[message from: dev ");
}
