/** How mails go out. */
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
  /** Resolves when a server has taken it. Rejects with an error that does not name the receiver. */
  send(mail: Mail): Promise<void>;
}

/** Deadlines of one mail, in ms. */
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};

/** Mails by SMTP, each over a connection of its own. */
export function createMailer({ url, from }: MailConfig): Mailer {
  return {
    async send({ to, subject, text }) {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        url,
        ...timeouts,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        // as an object: what somebody signed up with is one address, never read as a list
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw new Error(`no server took a mail: ${reasonOf(error)}`);
      } finally {
        transport.close();
      }
    },
  };
}

/** A server's own words repeat the address. */
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
