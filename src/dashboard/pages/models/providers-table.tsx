import { Code, Stack, Text } from '@mantine/core';
import { Note, StateBadge } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { Empty, Loaded } from '../../components/loaded.js';
import { type Column, figure, ListTable } from '../../components/list-table.js';
import { formatCount, formatShare } from '../../format/numbers.js';
import { formatAgo, formatMs, formatSecond } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { conditionColors, errorShare } from './scales.js';
import { TestButton } from './test-button.js';
import { useRead } from '../../api/queries.js';

const text = texts.models;
const refreshMs = 10_000;
type Provider = Schema<'ProviderResponse'>;

/** The configured providers, read again every ten seconds. */
export const useProviders = () => useRead('/api/v1/providers', {}, { refetchInterval: refreshMs });

/** How each provider does now; addresses and health only for administrators. */
export function ProvidersTable({ isAdmin }: { isAdmin: boolean }) {
  return (
    <Loaded query={useProviders()} lines={3}>
      {({ items }) => (
        <ListTable
          label={text.providers}
          columns={isAdmin ? [...columns, ...healthColumns] : columns}
          rows={items}
          keyOf={({ name }) => name}
          minWidth={isAdmin ? 860 : 420}
          empty={<Empty title={text.noProviders} hint={text.noProvidersHint} />}
        />
      )}
    </Loaded>
  );
}

const columns: readonly Column<Provider>[] = [
  { label: text.provider, cell: (provider) => <Name provider={provider} /> },
  { label: text.condition, cell: (provider) => <Condition provider={provider} /> },
  figure(text.count, ({ models }) => formatCount(models)),
];

/** What administrators see. */
const healthColumns: readonly Column<Provider>[] = [
  figure(text.errors, ({ details }) => formatShare(errorShare(details?.health ?? null))),
  figure(text.latency, ({ details }) => formatMs(details?.health?.latencyMs)),
  figure(text.ttft, ({ details }) => formatMs(details?.health?.ttftMs)),
  { label: text.lastError, cell: ({ details }) => lastErrorsOf(details?.health ?? null) },
  { label: text.test, cell: ({ name }) => <TestButton provider={name} />, isHeadHidden: true },
];

const Name = ({ provider: { name, api: dialect, details } }: { provider: Provider }) => (
  <>
    <Text size="sm" fw={600}>
      {name}
    </Text>
    <Note className="text-plain">{[dialect, details?.baseUrl].filter(Boolean).join(' · ')}</Note>
  </>
);

const Condition = ({ provider: { condition, details } }: { provider: Provider }) => (
  <Stack gap={2} align="flex-start">
    <StateBadge color={conditionColors[condition]} label={text.conditions[condition]} />
    {details?.cooldowns.map(({ until, why }, index) => (
      <Note key={index}>
        {fill(text.rests, { time: formatSecond(until), why: text.whys[why] })}
      </Note>
    ))}
  </Stack>
);

type Health = NonNullable<Provider['details']>['health'];

/** The provider's own last failure, and that of a model that it does not have. */
function lastErrorsOf(health: Health) {
  const { lastFailure = null, lastModelError = null } = health ?? {};
  if (!lastFailure && !lastModelError) return null;
  return (
    <Stack gap={2}>
      {lastFailure ? (
        <Text size="xs" title={formatSecond(lastFailure.at)}>
          {formatAgo(lastFailure.at)}: <Code>{lastFailure.code}</Code> {lastFailure.status ?? ''}{' '}
          {lastFailure.model}
        </Text>
      ) : null}
      {lastModelError ? (
        <Note className="text-plain" title={formatSecond(lastModelError.at)}>
          {fill(text.modelMissing, {
            time: formatAgo(lastModelError.at),
            status: lastModelError.status ?? lastModelError.code,
            model: lastModelError.model,
          })}
        </Note>
      ) : null}
    </Stack>
  );
}
