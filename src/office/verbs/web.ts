import { BellhopError } from "../../core/errors.ts";
import { parseQuietHours, quietHoursInWords } from "../../core/time/quiet-hours.ts";
import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { web } from "../../wire/verbs/web.ts";
import type { UseCaseParts } from "./parts.ts";

/** A name of its own: cookies ignore ports, and what an agent serves at localhost must not get ours. */
const OWN_NAME = "bellhop.localhost";

export function webVerbs({
  logins,
  pushes,
  status,
  context,
  writeQuietHours,
}: UseCaseParts): UseCasesOf<typeof web> {
  const origin = (phone: boolean): string => {
    if (!phone) return `http://${OWN_NAME}:${status().http.port}`;
    const { webName } = context.settings();
    if (webName === undefined) throw unnamed(status().http.port);
    return `https://${webName}`;
  };
  return {
    web_link: async ({ phone = false }) => {
      const at = origin(phone);
      const { code, expiresAt } = logins.newCode();
      return { url: `${at}/#${code}`, expiresAt };
    },
    web_sessions: async () => ({
      sessions: logins.list().map(({ id, browser, host, loggedInAt, seenAt }) => ({
        id,
        browser,
        host,
        loggedInAt,
        seenAt,
        notified: pushes.device(id) !== null,
      })),
    }),
    web_revoke: async ({ id }) => {
      if (id === undefined) return { revoked: (await logins.logOutAll()).map((ended) => ended.id) };
      await logins.logOut(id);
      return { revoked: [id] };
    },
    push_show: async ({ browser }) => {
      const { hours, except } = context.settings().desk.quiet;
      return {
        publicKey: await pushes.publicKey(),
        device: pushes.device(browser),
        quiet: hours === undefined ? null : quietHoursInWords(hours),
        quietExcept: except,
      };
    },
    quiet_set: async ({ hours = "", except }) => {
      const parsed = parseQuietHours(hours);
      const shown = parsed === undefined ? null : quietHoursInWords(parsed);
      writeQuietHours(shown ?? "", except);
      return { hours: shown, except };
    },
    push_subscribe: async ({ browser, ...target }) => {
      await pushes.subscribe(browser, target);
      return { subscribed: true };
    },
    push_remove: async ({ browser }) => {
      await pushes.unsubscribe(browser);
      return { subscribed: false };
    },
    push_test: async ({ browser }) => {
      const outcome = await pushes.test(browser);
      return {
        service: outcome.service,
        outcome: outcome.kind,
        ...("why" in outcome ? { why: outcome.why } : {}),
      };
    },
  };
}

function unnamed(port: number): BellhopError {
  return new BellhopError("web.unnamed", {
    message: "No name is configured by which a phone could reach the dashboard.",
    next: `Serve it by a tunnel of your own, such as "tailscale serve --bg ${port}", and put its name into config.yaml: web: { name: laptop.example.ts.net }.`,
  });
}
