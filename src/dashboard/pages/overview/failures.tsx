import { Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries.js';
import type { Schema } from '../../api/schema.js';
import { Note, PageLink } from '../../components/elements.js';
import { type Column, figure, ListTable } from '../../components/list-table.js';
import { Loaded } from '../../components/loaded.js';
import { reasonOf } from '../../format/outcomes.js';
import { Panel } from '../../components/page.js';
import { formatCount, unknownValue } from '../../format/numbers.js';
import { formatAgo } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { refreshMs, requestsHref, type Shown, spanQuery } from './series.js';

const text = texts.overview;
const shownKeys = 3;

type Failure = Schema<'RequestFailuresResponse'>['items'][number];

/** Why requests failed, by code and provider, each with links to its requests. */
export function Failures({ range, account }: Shown) {
  const query = useQuery({
    queryKey: ['request-failures', range, account],
    queryFn: () => read('/api/v1/requests/failures', { query: spanQuery({ range, account }) }),
    refetchInterval: Math.max(15_000, refreshMs(range)),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title={text.failures} lead={text.failuresLead}>
      <Loaded query={query} lines={3}>
        {({ items }) => (
          <ListTable
            label={text.failures}
            columns={columnsOf({ range, account })}
            rows={items}
            keyOf={({ code, provider }) => `${code} ${provider ?? ''}`}
            minWidth={820}
            maxHeight={322}
            fz="xs"
            verticalSpacing={4}
            empty={<Note>{text.noFailures}</Note>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function columnsOf(span: Shown): readonly Column<Failure>[] {
  const hrefOf = (
    { code, provider }: Failure,
    more: Readonly<Record<string, string | null>> = {},
  ) => requestsHref({ code, provider, ...more }, span);
  return [
    {
      label: text.reason,
      cell: (failure) => (
        <>
          <PageLink href={hrefOf(failure)} size="xs" fw={600}>
            {reasonOf(failure.code)}
          </PageLink>
          {failure.failedBy === 'client' ? null : <Note>{text.sides[failure.failedBy]}</Note>}
        </>
      ),
    },
    { label: text.provider, cell: ({ provider }) => provider ?? unknownValue },
    figure(text.requests, ({ requests }) => formatCount(requests)),
    {
      label: text.keys,
      cell: (failure) => (
        <Group gap={6}>
          {failure.keys.slice(0, shownKeys).map(({ keyId, keyName, requests }) =>
            keyId === null ? (
              <Text key="" size="xs">
                {texts.requests.browser} {formatCount(requests)}
              </Text>
            ) : (
              <PageLink key={keyId} size="xs" href={hrefOf(failure, { key: keyId })}>
                {keyName ?? keyId} {formatCount(requests)}
              </PageLink>
            ),
          )}
          {failure.keyCount > shownKeys ? (
            <Note>{fill(text.moreKeys, { count: failure.keyCount - shownKeys })}</Note>
          ) : null}
        </Group>
      ),
    },
    {
      label: text.last,
      cell: ({ last }) => (
        <PageLink href={`/requests/${last.id}`} size="xs" c="inherit" underline="hover">
          <Text span c="dimmed" inherit className="one-line">
            {formatAgo(last.at)}:{' '}
          </Text>
          <Text span inherit lineClamp={2}>
            {last.error ?? text.noText}
          </Text>
        </PageLink>
      ),
    },
  ];
}
