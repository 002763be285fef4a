/** Two agents and a person with a phone, who may leave. */
import { type Desk, openDesk } from "./desk.ts";
import { CHAT, connectedPhone } from "./phone.ts";
import { AS_SHIPPED } from "./settings.ts";

const MENU = "❯ 1. Yes\n2. Yes, and don't ask again\n3. No\nEsc to cancel";
/** A permission dialog. */
export const asksFor = (command: string) => `Allow this?\n${command}\n${MENU}`;

export async function withPhone() {
  const desk = await openDesk();
  desk.settings = { ...AS_SHIPPED, desk: { ...AS_SHIPPED.desk, channels: [CHAT] } };
  const coder = desk.agent("/projects/coder");
  const docs = desk.agent("/projects/docs");
  for (const { program } of [coder, docs]) program.prints("a line of its conversation");
  await desk.ready();
  return { desk, coder, docs, phone: await connectedPhone(desk) };
}

export const leaves = (desk: Desk) => {
  desk.attended = { people: 0 };
};
