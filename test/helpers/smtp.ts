import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { readMail } from './read-mail.js';

/** A mail as the server received it. */
export interface ReceivedMail {
  /** The addresses of the envelope. */
  from: string;
  to: string[];
  /** The body's plain text, decoded. */
  text: string;
  /** Headers and body unchanged, with CRLF line ends. */
  raw: string;
}

/** A mail server that keeps the mails in an array. */
export interface SmtpServer {
  /** `smtp://127.0.0.1:<port>` */
  url: string;
  port: number;
  mails: ReceivedMail[];
  /** Sets the answer to each recipient, such as `550 no such user`; null accepts them again. */
  refuseWith(reply: string | null): void;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/** The credentials for sending; absent: no sign-in is needed or offered. */
export interface SmtpOptions {
  login?: { user: string; password: string };
}

/** Starts a mail server on a free port of 127.0.0.1, without TLS. */
export async function startSmtp({ login }: SmtpOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let refusal: string | null = null;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    void converse(socket, { login, mails, refusal: () => refusal });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    mails,
    url: `smtp://127.0.0.1:${port}`,
    refuseWith: (reply) => void (refusal = reply),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface House extends SmtpOptions {
  mails: ReceivedMail[];
  refusal(): string | null;
}

interface Line {
  read(): Promise<string>;
  say(...replies: string[]): void;
}

/** One connection, from greeting to QUIT. */
async function converse(socket: Socket, house: House): Promise<void> {
  const lines = createInterface({ input: socket, crlfDelay: Infinity })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the client has left');
    return value;
  };
  const say = (...replies: string[]): void =>
    void socket.write(replies.map((reply) => `${reply}\r\n`).join(''));
  const answers = answersOf(house, { read, say });
  say('220 mail.test ESMTP');
  try {
    for (let line = await read(); !/^quit$/i.test(line); line = await read()) {
      const [, verb = '', rest = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
      const answer = answers[verb.toUpperCase()];
      if (answer) await answer(rest);
      else say('502 that is not known here');
    }
    socket.end('221 bye\r\n');
  } catch {
    socket.destroy();
  }
}

/** The handler of each SMTP command. */
function answersOf(
  { login, mails, refusal }: House,
  { read, say }: Line,
): Record<string, (rest: string) => void | Promise<void>> {
  let isKnown = login === undefined;
  let envelope = { from: '', to: [] as string[] };
  return {
    EHLO: () =>
      login
        ? say('250-mail.test', '250-8BITMIME', '250 AUTH PLAIN LOGIN')
        : say('250-mail.test', '250 8BITMIME'),
    HELO: () => say('250 mail.test'),
    NOOP: () => say('250 ok'),
    async AUTH(rest) {
      const [user, password] = await readLogin(rest, { read, say });
      isKnown = login !== undefined && user === login.user && password === login.password;
      say(isKnown ? '235 welcome' : '535 wrong user or password');
    },
    MAIL(rest) {
      envelope = { from: addressIn(rest), to: [] };
      say(isKnown ? '250 ok' : '530 sign in first');
    },
    RCPT(rest) {
      const refused = refusal() ?? (isKnown ? null : '530 sign in first');
      if (refused === null) envelope.to.push(addressIn(rest));
      say(refused ?? '250 ok');
    },
    async DATA() {
      if (envelope.to.length === 0) {
        say('554 nobody to deliver to');
        return;
      }
      say('354 go on');
      const raw = await readContent(read);
      mails.push({ ...envelope, text: readMail(raw), raw });
      say('250 kept');
    },
    RSET() {
      envelope = { from: '', to: [] };
      say('250 ok');
    },
  };
}

const addressIn = (rest: string): string => /<([^>]*)>/.exec(rest)?.[1] ?? '';
const decoded = (text: string): string => Buffer.from(text, 'base64').toString();

async function readLogin(rest: string, { read, say }: Line): Promise<[string, string]> {
  const [kind = '', initial] = rest.split(' ');
  const ask = (prompt: string): Promise<string> => {
    say(`334 ${Buffer.from(prompt).toString('base64')}`);
    return read();
  };
  if (/^login$/i.test(kind))
    return [decoded(initial ?? (await ask('Username:'))), decoded(await ask('Password:'))];
  const [, user = '', password = ''] = decoded(initial ?? (await ask(''))).split('\0');
  return [user, password];
}

/** The lines up to a lone dot, without the extra dot that SMTP puts before a leading one. */
async function readContent(read: () => Promise<string>): Promise<string> {
  const lines: string[] = [];
  for (let line = await read(); line !== '.'; line = await read())
    lines.push(line.replace(/^\./, ''));
  return lines.join('\r\n');
}
