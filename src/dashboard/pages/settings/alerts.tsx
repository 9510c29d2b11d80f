import { Stack } from '@mantine/core';
import { read, usePagedList, useRead } from '../../api/queries.js';
import type { Schema } from '../../api/schema.js';
import { CodeBlock, Note } from '../../components/elements.js';
import { type Column, PagedTable, column } from '../../components/list-table.js';
import { Empty, Loaded } from '../../components/loaded.js';
import { formatSecond } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { ConnectionTest } from './configuration.js';

const text = texts.settings;
type Alert = Schema<'AlertResponse'>;

const example = `mail: { url: 'smtps://user:\${MAIL_PASSWORD}@mail.example.org', from: gateway@example.org }
alerts:
  mail: [ops@example.org]
  webhook: { url: https://hooks.example.org/signalbox, secret: '\${WEBHOOK_SECRET}' }`;

const columns: readonly Column<Alert>[] = [
  column(texts.common.time, ({ at }) => <span className="one-line">{formatSecond(at)}</span>),
  column(text.alert, (alert) => (
    <>
      {alert.text}
      <Note>{text.alertKinds[alert.kind]}</Note>
    </>
  )),
  column(text.alertSent, sent),
];

/** The alerts that were sent, a button that sends one, or how to get them. */
export default function Alerts() {
  const list = usePagedList(['alerts'], (page) => read('/api/v1/alerts', { query: page }));
  return (
    <Loaded query={useRead('/api/v1/configuration')} lines={4}>
      {({ connections }) => (
        <Stack gap="md" maw={960}>
          <Note>{text.alertsLead}</Note>
          {connections.alerts ? (
            <ConnectionTest connection={{ kind: 'alerts' }} />
          ) : (
            <>
              <Empty title={text.alertsOff} hint={text.alertsOffHint} />
              <CodeBlock code={example} label={text.alertsOffHint} />
            </>
          )}
          {connections.alerts || list.data?.length ? (
            <PagedTable
              list={list}
              label={text.tabs.alerts}
              columns={columns}
              minWidth={640}
              empty={<Empty title={text.alertsNone} hint={text.alertsNoneHint} />}
            />
          ) : null}
        </Stack>
      )}
    </Loaded>
  );
}

function sent({ sentTo, error, attempts }: Alert): string {
  const failed = error === null ? [] : [fill(text.alertNotSent, { count: attempts, error })];
  return [...sentTo, ...failed].join(', ') || text.alertWaiting;
}
