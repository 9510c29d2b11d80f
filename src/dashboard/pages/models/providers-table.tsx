import { Code, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.js';
import { Empty } from '../../components/empty.js';
import { Loaded } from '../../components/loaded.js';
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
          <Table.ScrollContainer minWidth={isAdmin ? 860 : 420}>
            <Table verticalSpacing="xs">
              <Table.Thead>
                <HeadRow isAdmin={isAdmin} />
              </Table.Thead>
              <Table.Tbody>
                {providers.map((provider) => (
                  <ProviderRow key={provider.name} provider={provider} isAdmin={isAdmin} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )
      }
    </Loaded>
  );
}

const HeadRow = ({ isAdmin }: { isAdmin: boolean }) => (
  <Table.Tr>
    <Table.Th>{text.provider}</Table.Th>
    <Table.Th>{text.condition}</Table.Th>
    <Table.Th ta="right">{text.count}</Table.Th>
    {isAdmin ? (
      <>
        <Table.Th ta="right">{text.errors}</Table.Th>
        <Table.Th ta="right">{text.latency}</Table.Th>
        <Table.Th ta="right">{text.ttft}</Table.Th>
        <Table.Th>{text.lastFailure}</Table.Th>
        <Table.Th>{text.test}</Table.Th>
      </>
    ) : null}
  </Table.Tr>
);

function ProviderRow({ provider, isAdmin }: { provider: Provider; isAdmin: boolean }) {
  const { name, api: dialect, condition, models, details } = provider;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {[dialect, details?.baseUrl].filter(Boolean).join(' · ')}
        </Text>
      </Table.Td>
      <Table.Td>
        <Stack gap={2} align="flex-start">
          <StateBadge color={conditionColors[condition]} label={text.conditions[condition]} />
          {details?.cooldowns.map(({ until, why }, index) => (
            <Text key={index} size="xs" c="dimmed">
              {fill(text.rests, { time: formatSecond(until), why: text.whys[why] })}
            </Text>
          ))}
        </Stack>
      </Table.Td>
      <Table.Td ta="right">{formatCount(models)}</Table.Td>
      {isAdmin ? <HealthCells provider={provider} /> : null}
    </Table.Tr>
  );
}

function HealthCells({ provider: { name, details } }: { provider: Provider }) {
  const health = details?.health ?? null;
  const failure = health?.lastFailure ?? null;
  return (
    <>
      <Table.Td ta="right">{formatShare(errorShare(health))}</Table.Td>
      <Table.Td ta="right">{formatMs(health?.latencyMs)}</Table.Td>
      <Table.Td ta="right">{formatMs(health?.ttftMs)}</Table.Td>
      <Table.Td>
        {failure === null ? null : (
          <Text size="xs" title={formatSecond(failure.at)}>
            {formatAgo(failure.at)}: <Code>{failure.code}</Code> {failure.status ?? ''}{' '}
            {failure.model}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <TestButton provider={name} />
      </Table.Td>
    </>
  );
}
