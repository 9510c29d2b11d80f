import { Box, Group, Text } from '@mantine/core';
import { PageLink } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { type Column, figure, ListTable, minor, plain } from '../../components/list-table.js';
import { ModelName, Outcome } from '../../components/outcome.js';
import { useParameters } from '../../components/search-parameters.js';
import { formatTokens, formatSpend } from '../../format/numbers.js';
import { formatClock, formatMs } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import type { orders } from './filters.js';

const text = texts.requests;

export type RequestSummary = Schema<'RequestResponse'>;

/** Requests, one a line; a click on a head of figures sorts the whole period. */
export function RequestTable({ items }: { items: readonly RequestSummary[] }) {
  const [{ sort, live }, change] = useParameters();
  const sortBy = (order: (typeof orders)[number]): Pick<Column<RequestSummary>, 'sort'> =>
    live
      ? {}
      : {
          sort: {
            isOn: sort === order,
            toggle: () => change({ sort: sort === order ? null : order }),
          },
        };
  const slowest = Math.max(1, ...items.map(({ latencyMs }) => latencyMs));
  const columns: readonly Column<RequestSummary>[] = [
    plain(texts.common.time, ({ id, at }) => (
      <PageLink href={hrefOf({ id })} className="one-line figures" size="xs">
        {formatClock(at)}
      </PageLink>
    )),
    plain(texts.common.model, (item) => <ModelName {...item} />),
    plain(text.outcome, ({ error, ...ended }) => (
      <Box title={error ?? undefined} ml={-10}>
        <Outcome {...ended} />
      </Box>
    )),
    plain(text.latency, (item) => <Latency {...item} slowest={slowest} />, sortBy('latency')),
    figure(texts.common.tokens, formatTokens, { isMinor: true, ...sortBy('tokens') }),
    figure(texts.common.cost, formatSpend, { isPlain: true, ...sortBy('cost') }),
    minor(text.key, ({ keyName, keyId }) => (
      <Text size="xs" truncate maw={130}>
        {keyName ?? keyId ?? text.browser}
      </Text>
    )),
  ];
  return (
    <ListTable
      label={texts.navigation.requests}
      columns={columns}
      rows={items}
      hrefOf={hrefOf}
      minWidth={860}
      fz="xs"
      verticalSpacing={2}
      highlightOnHover
    />
  );
}

const hrefOf = ({ id }: Pick<RequestSummary, 'id'>): string => `/requests/${id}`;

/** As a bar beside the slowest of the list, and in figures. */
const Latency = ({ latencyMs, slowest }: { latencyMs: number; slowest: number }) => (
  <Group gap={6} wrap="nowrap">
    <Box w={70} h={6} visibleFrom="sm" aria-hidden>
      <Box
        h="100%"
        bdrs="xs"
        w={`max(2px, ${(latencyMs / slowest) * 100}%)`}
        bg="var(--mantine-primary-color-filled)"
      />
    </Box>
    <span className="figures one-line">{formatMs(latencyMs)}</span>
  </Group>
);
