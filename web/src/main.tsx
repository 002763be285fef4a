/** Logs in with the code of the link if there is one, connects, and draws. */
import { render } from "preact";
import { startFollowing } from "./agent/following.ts";
import { App } from "./app.tsx";
import { startForgetting } from "./attention/answering.ts";
import { link, take } from "./board/store.ts";
import { browserParts } from "./connection/browser.ts";
import { Connection } from "./connection/connection.ts";
import { keepKey, storedKey, takeCode } from "./connection/key.ts";
import { bindLine } from "./connection/line.ts";
import { ask } from "./connection/requests.ts";
import { wantsNotifications } from "./connection/wish.ts";
import { listenToKeys } from "./palette/listening.ts";
import { followAddress } from "./places/route.ts";
import { registerWorker } from "./places/service-worker.ts";
import { startClock } from "./ui/clock.ts";

const connection = new Connection({
  ...browserParts,
  onFrame: take,
  onLink: (standing) => {
    link.value = standing;
  },
});

async function enter(): Promise<void> {
  const code = takeCode();
  if (code !== undefined) {
    const answer = await ask<{ readonly key: string }>({
      method: "POST",
      path: "/web/login",
      body: { code },
    });
    if (answer.kind === "refused") {
      connection.logOut(`${answer.error.message} ${answer.error.next}`);
      return;
    }
    keepKey(answer.body.key);
  }
  if (storedKey() === undefined) connection.logOut("");
  else connection.start();
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
addEventListener("hashchange", () => void enter());
render(<App />, document.body);
await enter();
await registerWorker();
// Subscriptions die without a word.
if (storedKey() !== undefined && wantsNotifications())
  await (await import("./settings/notifications.ts")).renewIfLost();
