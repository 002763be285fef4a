/** The Messages app that stands in for the real one, in a process of its own: the test tells it what people write. */
import { MessagesRehearsal } from "../../../src/bridges/imessage/rehearsal/messages.ts";
import { systemClock } from "../../../src/system/clock.ts";
import type { Told } from "../imessage/messages.ts";

const [folder = "", osascript = "", schema] = process.argv.slice(2);
const messages = await MessagesRehearsal.start({
  ...{ clock: systemClock, folder, osascript },
  ...(schema === undefined ? {} : { schema }),
});

function answer(told: Told): unknown {
  const { rows } = messages;
  switch (told.do) {
    case "write":
      return rows.write(told.row);
    case "write many": {
      rows.database.exec("BEGIN");
      const guids = told.rows.map((row) => rows.write(row));
      rows.database.exec("COMMIT");
      return guids;
    }
    case "behave":
      return messages.behaves(told.manners);
    case "run":
      return rows.database.exec(told.sql);
    case "query":
      return rows.database.prepare(told.sql).all();
    case "scripts":
      return messages.scripts;
    case "close":
      return rows.close();
  }
}

process.on("message", (message) => {
  const { id, told } = message as { readonly id: number; readonly told: Told };
  try {
    process.send?.({ id, value: answer(told) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
