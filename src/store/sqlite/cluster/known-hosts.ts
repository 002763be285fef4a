/** What other hosts last said of themselves. */
import type { KnownHost } from "../../../ports/cluster-store.ts";
import { NUMBER, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const HOSTS = new Table<KnownHost>({
  name: "known_hosts",
  key: "host",
  fields: {
    host: ["host", TEXT],
    heardAt: ["heard_at", NUMBER],
    number: ["number", NUMBER],
    announcement: ["announcement", TEXT],
  },
});

const PUT = `INSERT INTO known_hosts (${HOSTS.columns}) VALUES (${HOSTS.marks})
  ON CONFLICT (host) DO UPDATE SET ${HOSTS.overwritten}`;

export const hostReads = { knownHosts };
export const hostWrites = { putKnownHost };

function knownHosts(connection: Connection): readonly KnownHost[] {
  const rows = connection.sql(`SELECT ${HOSTS.selected} FROM known_hosts ORDER BY host`).all();
  return HOSTS.readAll(connection, rows);
}

function putKnownHost(connection: Connection, host: KnownHost): void {
  connection.sql(PUT).run(...HOSTS.values(host));
}
