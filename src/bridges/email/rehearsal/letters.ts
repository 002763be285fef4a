/** Letters as people and providers write them. Pure. */

export interface PersonsLetter {
  readonly from: string;
  readonly to: string;
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  /** The id of the letter that it answers. */
  readonly answers?: string;
  readonly at: Date;
}

export function letterSource(letter: PersonsLetter): string {
  const { from, to, messageId, subject, text, answers, at } = letter;
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Date: ${mailDate(at)}`,
    `Message-ID: ${messageId}`,
    ...(answers === undefined ? [] : [`In-Reply-To: ${answers}`, `References: ${answers}`]),
    `Subject: ${subject}`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    ...text.split("\n"),
    "",
  ].join("\r\n");
}

/** As programs for mail do when somebody answers. */
export function withQuote(
  text: string,
  { from, at, text: quoted }: { readonly from: string; readonly at: Date; readonly text: string },
): string {
  const [day, time] = [mailDate(at).slice(0, 16), mailDate(at).slice(17, 22)];
  const lines = quoted.split("\n").map((line) => `> ${line}`.trimEnd());
  return [text, "", `On ${day} at ${time}, ${from} wrote:`, ...lines].join("\n");
}

/** What a provider writes above a mail whose sender logged in to it. */
export function providerFields(provider: string, sender: string, recipient: string): string {
  const domain = sender.slice(sender.lastIndexOf("@") + 1);
  return [
    `Return-Path: <${sender}>`,
    `Delivered-To: ${recipient}`,
    `Received: from client.example.org by ${provider}; Mon, 16 Nov 2026 10:00:00 +0000`,
    `Authentication-Results: ${provider};`,
    `\tdkim=pass header.i=@${domain} header.s=mail header.b=AbC/d+e=;`,
    `\tspf=pass (${provider}: domain of ${sender} designates 127.0.0.1) smtp.mailfrom=${sender};`,
    `\tdmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=${domain}`,
    "",
  ].join("\r\n");
}

function mailDate(at: Date): string {
  return at.toUTCString().replace("GMT", "+0000");
}
