import { Anchor, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Hint, SmallButton } from '../../components/elements.js';
import { basePath } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { type Column, figure, ListTable } from '../../components/list-table.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { texts } from '../../texts/texts.js';
import { useRead } from '../../api/queries.js';

const text = texts.keys;
type UsageRow = Schema<'UsageResponse'>['items'][number];

const periods = [
  { value: '7', label: text.days7 },
  { value: '30', label: text.days30 },
  { value: '90', label: text.days90 },
];
const dayMs = 86_400_000;

/** The first day of a period that ends today; the gateway counts days in UTC. */
const firstDay = (days: number): string =>
  new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);

const columns: readonly Column<UsageRow>[] = [
  { label: text.name, cell: ({ keyName, keyId }) => keyName ?? keyId ?? text.noKey },
  figure(text.requests, ({ requests }) => formatCount(requests)),
  figure(text.errors, ({ errors }) => formatCount(errors)),
  figure(text.promptTokens, ({ promptTokens }) => formatCount(promptTokens)),
  figure(text.completionTokens, ({ completionTokens }) => formatCount(completionTokens)),
  figure(text.cost, ({ costUsd }) => formatUsd(costUsd)),
];

/** What was used with each key in a period, as a table and as CSV. */
export function KeyUsage() {
  const [days, setDays] = useState('30');
  const from = firstDay(Number(days));
  const usage = useRead('/api/v1/usage', { query: { by: 'key', from, limit: 100 } });
  return (
    <Panel
      title={text.usage}
      actions={
        <Group>
          <SegmentedControl
            aria-label={text.usageDays}
            data={periods}
            value={days}
            onChange={setDays}
            size="xs"
          />
          <SmallButton
            component="a"
            href={`${basePath}/api/v1/usage?by=key&from=${from}&format=csv`}
            download={`usage-by-key-from-${from}.csv`}
          >
            {text.export}
          </SmallButton>
        </Group>
      }
    >
      <Loaded query={usage}>
        {({ items }) => (
          <ListTable
            label={text.usage}
            columns={columns}
            rows={items}
            keyOf={({ keyId }) => keyId ?? ''}
            minWidth={560}
            empty={
              <Hint>
                {text.usageEmpty}{' '}
                <Anchor href={`${basePath}/connect`}>{texts.connect.title}</Anchor>
              </Hint>
            }
          />
        )}
      </Loaded>
    </Panel>
  );
}
