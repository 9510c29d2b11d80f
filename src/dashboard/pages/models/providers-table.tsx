import { Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.js';
import { Empty, Loaded } from '../../components/loaded.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { StateBadge } from '../../components/state-badge.js';
import { formatCount, formatShare } from '../../format/numbers.js';
import { formatAgo, formatMs, formatSecond } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { conditionColors, errorShare } from './scales.js';
import { TestButton } from './test-button.js';

const text = texts.models;
const refreshMs = 10_000;
type Provider = Schema<'ProviderResponse'>;

/** The configured providers, read again every ten seconds. */
export const useProviders = () =>
  useQuery({
    queryKey: ['providers'],
    queryFn: async () => (await dataOf(api.GET('/api/v1/providers'))).items,
    refetchInterval: refreshMs,
  });

/** How each provider does now; addresses and health only for administrators. */
export function ProvidersTable({ isAdmin }: { isAdmin: boolean }) {
  const query = useProviders();
  return (
    <Loaded query={query} lines={3}>
      {(providers) =>
        providers.length === 0 ? (
          <Empty title={text.noProviders} hint={text.noProvidersHint} />
        ) : (
          <ListTable
            label={text.providers}
            columns={isAdmin ? [...columns, ...healthColumns] : columns}
            rows={providers}
            keyOf={({ name }) => name}
            minWidth={isAdmin ? 860 : 420}
          />
        )
      }
    </Loaded>
  );
}

const columns: readonly Column<Provider>[] = [
  { label: text.provider, cell: (provider) => <Name provider={provider} /> },
  { label: text.condition, cell: (provider) => <Condition provider={provider} /> },
  { label: text.count, cell: ({ models }) => formatCount(models), isFigure: true },
];

/** What administrators see. */
const healthColumns: readonly Column<Provider>[] = [
  {
    label: text.errors,
    cell: ({ details }) => formatShare(errorShare(details?.health ?? null)),
    isFigure: true,
  },
  {
    label: text.latency,
    cell: ({ details }) => formatMs(details?.health?.latencyMs),
    isFigure: true,
  },
  { label: text.ttft, cell: ({ details }) => formatMs(details?.health?.ttftMs), isFigure: true },
  { label: text.lastError, cell: ({ details }) => lastErrorsOf(details?.health ?? null) },
  { label: text.test, cell: ({ name }) => <TestButton provider={name} />, isHeadHidden: true },
];

const Name = ({ provider: { name, api: dialect, details } }: { provider: Provider }) => (
  <>
    <Text size="sm" fw={600}>
      {name}
    </Text>
    <Text size="xs" c="dimmed" className="text-plain">
      {[dialect, details?.baseUrl].filter(Boolean).join(' · ')}
    </Text>
  </>
);

const Condition = ({ provider: { condition, details } }: { provider: Provider }) => (
  <Stack gap={2} align="flex-start">
    <StateBadge color={conditionColors[condition]} label={text.conditions[condition]} />
    {details?.cooldowns.map(({ until, why }, index) => (
      <Text key={index} size="xs" c="dimmed">
        {fill(text.rests, { time: formatSecond(until), why: text.whys[why] })}
      </Text>
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
        <Text size="xs" c="dimmed" className="text-plain" title={formatSecond(lastModelError.at)}>
          {fill(text.modelMissing, {
            time: formatAgo(lastModelError.at),
            status: lastModelError.status ?? lastModelError.code,
            model: lastModelError.model,
          })}
        </Text>
      ) : null}
    </Stack>
  );
}
