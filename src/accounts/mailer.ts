import type { Transporter } from 'nodemailer';

/** The SMTP server and the sender. */
export interface MailConfig {
  /** `smtp://user:password@host:587`, `smtps://…` */
  readonly url: string;
  readonly from: string;
}

/** A mail in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mails. */
export interface Mailer {
  /** Resolves when a server has accepted the mail. Its errors do not contain the address. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in, and sends nothing. Rejects as `send` does. */
  check(): Promise<void>;
}

/** Timeouts of one mail, in ms. */
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};

/** Sends mails by SMTP, each over its own connection. */
export const createMailer = ({ url, from }: MailConfig): Mailer => ({
  // as an object, so that a user's address is never parsed as a list
  send: ({ to, subject, text }) =>
    connected(url, 'a mail could not be sent', (transport) =>
      transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      }),
    ),
  check: () => connected(url, 'the mail server cannot be used', (transport) => transport.verify()),
});

async function connected(
  url: string,
  failure: string,
  use: (transport: Transporter) => Promise<unknown>,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await use(transport);
  } catch (error) {
    throw new Error(`${failure}: ${reasonOf(error)}`);
  } finally {
    transport.close();
  }
}

/** Without the server's message, which would contain the address. */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as {
    code?: string;
    responseCode?: number;
    command?: string;
  };
  return [
    code ?? 'unknown',
    command && `after ${command}`,
    responseCode && `answered ${responseCode}`,
  ]
    .filter(Boolean)
    .join(' ');
}
