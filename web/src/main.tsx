/** Logs in with the code of the link, connects, and shows who is there. The dashboard itself will take its place. */
const KEY = "bellhop-key";
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** What the daemon closes a WebSocket with if its caller may not use it. */
const CLOSE_UNAUTHORISED = 4401;

let retryMs = FIRST_RETRY_MS;

addEventListener("hashchange", start);
await start();

async function start() {
  const code = location.hash.slice(1);
  // Before anything else: neither the history nor a picture of the screen shall show it.
  if (code !== "") history.replaceState(null, "", location.pathname);
  if (code !== "" && !(await logIn(code))) return;
  const key = localStorage.getItem(KEY);
  if (key === null) say('Not logged in. Open the link that "bellhop open" prints.');
  else connect(key);
}

async function logIn(code) {
  const response = await fetch("/web/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const answer = await response.json();
  if (response.ok) localStorage.setItem(KEY, answer.key);
  else say(`${answer.error.message} ${answer.error.next}`);
  return response.ok;
}

function connect(key) {
  const socket = new WebSocket(new URL("/ws", location.href).href.replace(/^http/, "ws"));
  socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "auth", key })));
  socket.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.type === "auth.ok") void welcome(key);
    else if (frame.type === "auth.error") say(`${frame.message} ${frame.next}`);
  });
  socket.addEventListener("close", ({ code }) => {
    if (code !== CLOSE_UNAUTHORISED) void comeBack(key);
  });
}

/** A browser does not say why a connection was refused: the daemon is asked in a way that does. */
async function comeBack(key) {
  const status = await fetch("/sessions", { headers: { "x-bellhop-key": key } }).then(
    (response) => response.status,
    () => undefined,
  );
  if (status === 401) {
    say('Not logged in any more. Open the link that "bellhop open" prints.');
    return;
  }
  say("Disconnected: trying again.");
  setTimeout(() => connect(key), retryMs);
  retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
}

async function welcome(key) {
  retryMs = FIRST_RETRY_MS;
  const response = await fetch("/sessions", { headers: { "x-bellhop-key": key } });
  const answer = await response.json();
  if (!response.ok) {
    say(`${answer.error.message} ${answer.error.next}`);
    return;
  }
  const rows = answer.sessions.map((session) => {
    const row = document.createElement("li");
    row.textContent = `${session.agent ?? session.id}: ${session.readiness}`;
    return row;
  });
  document.getElementById("agents").replaceChildren(...rows);
  say("Connected as the owner");
}

function say(text) {
  document.getElementById("state").textContent = text;
}
