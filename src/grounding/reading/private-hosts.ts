import { parseUrl } from '../../text/parse-url.js';

/**
 * The hosts that the operator exempts from the rule that addresses are public: names or addresses,
 * for the usual ports (`wiki.intranet`, `10.0.0.5`, `fd00::1`) or for a port of their own
 * (`wiki.intranet:8080`, `[fd00::1]:8080`), which is then allowed although it is not a usual one.
 */
export class PrivateHosts {
  private readonly hosts = new Set<string>();

  /** @throws Error that names an entry which is not a host */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const bare = /:.*:/.test(entry) && !entry.startsWith('[') ? `[${entry}]` : entry;
      const url = /[/@?#\\\s]/.test(bare) ? null : parseUrl(`http://${bare}`);
      if (!url) throw new Error(`allowPrivateHosts: "${entry}" is not a host or a host and port`);
      // `:80` is not a part of an http URL
      const port = /:80$/.test(bare) ? '80' : url.port;
      this.hosts.add(port === '' ? url.hostname : `${url.hostname}:${port}`);
    }
  }

  /** Whether the host with this port is named. */
  namesPort(host: string, port: number): boolean {
    return this.hosts.has(`${host}:${port}`);
  }

  /** Whether addresses of the host may be private. */
  exempts(host: string, port: number): boolean {
    return this.hosts.has(host) || this.namesPort(host, port);
  }
}
