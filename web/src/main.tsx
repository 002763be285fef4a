/** Logs in with the code of the link if there is one, connects, and draws. */
import { render } from "preact";
import { startFollowing } from "./agent/following.ts";
import { App } from "./app.tsx";
import { startForgetting } from "./attention/answering.ts";
import { forgetBoard, link, linkNote, take } from "./board/store.ts";
import { admission, browserParts } from "./connection/browser.ts";
import { Connection } from "./connection/connection.ts";
import { afterVainLink } from "./connection/entering.ts";
import { keepKey, storedKey, takeCode } from "./connection/key.ts";
import { bindLine } from "./connection/line.ts";
import { ask, type Told } from "./connection/requests.ts";
import { wantsNotifications } from "./connection/wish.ts";
import { listenToKeys } from "./palette/listening.ts";
import { openDialog } from "./palette/open.ts";
import { followAddress } from "./places/route.ts";
import { registerWorker } from "./places/service-worker.ts";
import { TEXT } from "./strings.ts";
import { startClock } from "./ui/clock.ts";

const connection = new Connection({
  ...browserParts,
  onFrame: take,
  onLink: (standing) => {
    link.value = standing;
    if (standing.at !== "logged-out") return;
    forgetBoard();
    openDialog.value = undefined;
  },
});

async function enter(): Promise<void> {
  const code = takeCode();
  if (code !== undefined) await logIn(code);
  else if (storedKey() === undefined) connection.logOut("");
  else connection.start();
}

async function logIn(code: string): Promise<void> {
  linkNote.value = "";
  const answer = await ask<{ readonly key: string }>({ method: "POST", path: "/web/login", body: { code } });
  if (answer.kind === "refused") {
    await goOnAfter(answer.error);
    return;
  }
  keepKey(answer.body.key);
  connection.start();
}

/** The link did not log in; the browser may be logged in all the same. */
async function goOnAfter({ message, next }: Told): Promise<void> {
  const admitted = await admission();
  const { at } = link.peek();
  if (afterVainLink(admitted, at) === "out") {
    connection.logOut(`${message} ${next}`);
    return;
  }
  linkNote.value = admitted === "admitted" ? TEXT.linkNote.anyway(message) : `${message} ${next}`;
  if (at === "connecting" || at === "logged-out") connection.start();
}

bindLine(connection);
followAddress();
startFollowing();
startClock();
startForgetting();
listenToKeys();
for (const event of ["pageshow", "online"]) addEventListener(event, () => connection.wake());
for (const event of ["visibilitychange", "resume"])
  document.addEventListener(event, () => {
    if (!document.hidden) connection.wake();
  });
addEventListener("hashchange", () => {
  const code = takeCode();
  if (code !== undefined) void logIn(code);
});
render(<App />, document.body);
await enter();
await registerWorker();
// Subscriptions die without a word.
if (storedKey() !== undefined && wantsNotifications())
  await (await import("./settings/notifications.ts")).renewIfLost();
