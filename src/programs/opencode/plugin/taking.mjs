/** Answers Bellhop: what this window does, and whether it takes a message. */
import { aboutConversation, mannerOf } from "./conversation.mjs";

/** Within this time a window has heard of a change, also on a busy machine. */
const MOST_LOOKS = 300;
const BETWEEN_LOOKS_MS = 10;

export function answering(api, watch) {
  let last = Promise.resolve();
  return async (line) => {
    const { prompt, conversation } = JSON.parse(line);
    if (typeof prompt !== "string") return stateOf(api, watch);
    // One after the other: two of them must not both begin a conversation.
    const taken = last.then(() => take(api, watch, { prompt, conversation }));
    last = taken.catch(() => "told to whoever asked");
    return taken;
  };
}

function stateOf(api, watch) {
  const root = watch.shown();
  const session = root === undefined ? undefined : watch.session(root);
  const is = root !== undefined && watch.asks(root) ? "waiting" : (session?.is ?? "idle");
  return {
    pid: process.pid,
    version: api.app.version,
    closed: closedBecause(api),
    ...(root === undefined ? {} : { ...aboutConversation(root), is, since: session.since }),
  };
}

/** Why a message cannot come in now; undefined if it can. */
function closedBecause(api) {
  const { name } = api.route.current;
  if (name === "session") return undefined;
  if (name !== "home") return "OpenCode shows neither a conversation nor its start page";
  // Beginning a conversation leaves the start page, and what is written there.
  const editor = api.renderer.currentFocusedEditor;
  if (api.ui.dialog.open || !editor) return "OpenCode shows a dialog on its start page";
  return editor.plainText === "" ? undefined : "somebody is writing on OpenCode's start page";
}

/** `conversation`: for which it is, as far as Bellhop knows. Another one may be another agent's. */
async function take(api, watch, { prompt, conversation }) {
  const shut = closedBecause(api);
  if (shut !== undefined) return { refused: shut };
  const shown = watch.shown();
  if (shown !== undefined && typeof conversation === "string" && conversation !== shown)
    return { refused: "OpenCode shows another conversation by now" };
  const { refused, began: sessionID } = shown === undefined ? await begin(api) : { began: shown };
  if (refused !== undefined) return { refused };
  const { handed } = watch.session(sessionID);
  handed.push(prompt);
  const parts = [{ type: "text", text: prompt }];
  const sent = await api.client.session.promptAsync({ sessionID, parts, ...mannerOf(api, sessionID) });
  if (sent.error === undefined) return { taken: sessionID };
  const why = JSON.stringify(sent.error).slice(0, 200);
  // Without an answer, or with one of a broken server, it may have it: then nobody may say that it was refused.
  if (!isRefusal(sent.response?.status)) throw new Error(`OpenCode's server did not answer: ${why}`);
  const at = handed.indexOf(prompt);
  if (at !== -1) handed.splice(at, 1);
  return { refused: `OpenCode refused it: ${why}` };
}

function isRefusal(status) {
  return status >= 400 && status < 500;
}

/**
 * Nothing happens between the last look at the start page and leaving it: no key can come in between. The window has to
 * know the conversation by then. Otherwise it shows no composer until it has fetched it, and keys typed meanwhile are
 * lost.
 */
async function begin(api) {
  const { data } = await api.client.session.create({});
  if (data === undefined) return { refused: "OpenCode could not begin a conversation" };
  await makeKnown(api, data).catch(() => "then its window does not know it");
  const isKnown = api.state.session.get(data.id) !== undefined;
  if (isKnown && api.route.current.name === "home" && closedBecause(api) === undefined) {
    api.route.navigate("session", { sessionID: data.id });
    return { began: data.id };
  }
  await api.client.session.delete({ sessionID: data.id }).catch(() => "an empty conversation stays");
  return {
    refused: isKnown
      ? "somebody began to write on OpenCode's start page"
      : "OpenCode's window does not take up a new conversation",
  };
}

/** A window hears of changes to a conversation, not of its beginning. It keeps its title. */
async function makeKnown(api, { id, title }) {
  await api.client.session.update({ sessionID: id, title });
  for (let looks = 0; looks < MOST_LOOKS && api.state.session.get(id) === undefined; looks += 1)
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
}
