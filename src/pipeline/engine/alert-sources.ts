import type { Mailer } from '../../accounts/mailer.js';
import type { Config } from '../../config/config.js';
import type { ProviderHealths } from '../../dispatch/provider-health.js';
import type { NewAlert } from '../../store/contracts/alerts.js';
import type { AlertChannel, AlertSources } from '../../telemetry/alerts/alert-watch.js';
import { postAlert } from '../../telemetry/alerts/webhook.js';
import type { GatewaySnapshot } from './snapshot.js';

/** What alerts are computed from: the configuration in force and the health of providers. */
export const alertSources = (
  inForce: () => { config: Config; snapshot: GatewaySnapshot },
  health: () => ProviderHealths,
  warn: (warning: string) => void,
): Omit<AlertSources, 'store'> => ({
  rules: () => inForce().config.alerts,
  channels: () => {
    const { config, snapshot } = inForce();
    return alertChannels(config, snapshot.accounts.mailer);
  },
  providers: () =>
    [...inForce().snapshot.providers.values()].map(({ name, breaker }) => {
      const { attempts = 0, failures = 0 } = health().find(name) ?? {};
      const failing = breaker.list().filter(({ mark }) => mark === '');
      const down = failing.map(({ model, cause: { code, status } }) => ({
        name: model === '' ? name : `${name}/${model}`,
        why: status === null ? code : `${code} (${status})`,
      }));
      return { name, attempts, failures, down };
    }),
  warn,
});

/** Who gets the alerts of a configuration: each mail address, and the webhook. */
function alertChannels(
  { alerts, publicUrl }: Pick<Config, 'alerts' | 'publicUrl'>,
  mailer: Mailer | null,
): AlertChannel[] {
  const { mail = [], webhook = null } = alerts ?? {};
  const mails = mail.flatMap((to) => {
    if (!mailer) return [];
    const send = ({ text }: NewAlert): Promise<void> =>
      mailer.send({ to, subject: `Signalbox: ${text}`, text: mailText(text, publicUrl) });
    return [{ name: to, send }];
  });
  if (webhook === null) return mails;
  return [...mails, { name: 'webhook', send: (alert: NewAlert) => postAlert(webhook, alert) }];
}

const mailText = (text: string, publicUrl: string | null): string =>
  publicUrl === null ? text : `${text}\n\n${publicUrl}/`;
