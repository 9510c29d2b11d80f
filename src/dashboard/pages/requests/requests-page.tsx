import { Route, Switch } from 'wouter';
import { Switch as Toggle, Text, Box, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { RequestDetail } from './request-detail.js';
import { read, usePagedList } from '../../api/queries.js';
import { Empty, Loaded, Paged } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { useParameters } from '../../components/search-parameters.js';
import { useAccount } from '../../session/session.js';
import { texts, fill } from '../../texts/texts.js';
import { FilterBar } from './filter-bar.js';
import { isFiltered, orders, queryOf, withoutFilters } from './filters.js';
import { Export, Views } from './list-actions.js';
import { type RequestSummary, RequestTable } from './request-table.js';
import { SmallButton } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { Chart } from '../../components/chart.js';
import { colorAt, errorColor } from '../../components/chart-columns.js';
import { formatCompact } from '../../format/numbers.js';
import { formatSecond } from '../../format/times.js';
import { switched } from '../../components/fields.js';

/** The pages `/requests` and `/requests/<id>`. */
export default function RequestsPage() {
  return (
    <Switch>
      <Route path="/requests/:id">{({ id }) => <RequestDetail id={id} key={id} />}</Route>
      <Route component={RequestList} />
    </Switch>
  );
}

const text = texts.requests;
/** Between two looks at the newest requests. */
const liveMs = 2_000;

/** The request log: filters, a histogram that selects time, and the requests. */
function RequestList() {
  const [parameters, change] = useParameters();
  const isAdmin = useAccount().role === 'admin';
  const isLive = parameters.live === 'true' && !parameters.to;
  return (
    <Page
      title={texts.navigation.requests}
      lead={text.lead}
      actions={
        <>
          <Toggle
            label={text.live}
            {...switched(isLive, (isOn) =>
              change(isOn ? { live: 'true', from: null, to: null, sort: null } : { live: null }),
            )}
          />
          <Views />
          <Export isAdmin={isAdmin} />
        </>
      }
    >
      <FilterBar isAdmin={isAdmin} />
      <Histogram isAdmin={isAdmin} isLive={isLive} />
      <Listed isAdmin={isAdmin} isLive={isLive} />
    </Page>
  );
}

interface ListProps {
  isAdmin: boolean;
  isLive: boolean;
}

/** The pages that were loaded; live, the newest one, again and again. */
function Listed({ isAdmin, isLive }: ListProps) {
  const [parameters] = useParameters();
  const { live: _live, ...shown } = parameters;
  const sort = orders.find((one) => one === parameters.sort);
  const list = usePagedList(
    ['requests', isLive, shown, isAdmin],
    (page) => {
      const asked = queryOf(parameters, isAdmin, Date.now());
      return read('/api/v1/requests', {
        query: { ...asked, ...(sort && !isLive ? { sort } : {}), ...page },
      });
    },
    { keepsPrevious: true, refetchInterval: isLive && liveMs },
  );
  return (
    <Paged list={list} more={isLive ? null : texts.common.more} lines={8}>
      {(items) => <Rows items={items} isLive={isLive} />}
    </Paged>
  );
}

function Rows({ items, isLive }: { items: readonly RequestSummary[]; isLive: boolean }) {
  const [parameters, change] = useParameters();
  if (items.length > 0) return <RequestTable items={items} />;
  if (isFiltered(parameters))
    return (
      <Empty
        title={text.noMatch}
        hint={text.noMatchHint}
        ways={[[text.clear, () => change(withoutFilters)]]}
      />
    );
  if (isLive) return <Text c="dimmed">{text.waiting}</Text>;
  return (
    <Empty
      title={text.empty}
      hint={text.emptyHint}
      ways={[
        [texts.common.openPlayground, '/playground'],
        [text.lookBack, () => change({ range: '30d', from: null, to: null })],
      ]}
    />
  );
}

/** Requests over time by the filters of the list; dragging selects a time range. */
function Histogram({ isAdmin, isLive }: ListProps) {
  const [parameters, change] = useParameters();
  const { from, to } = parameters;
  const { live: _live, sort: _sort, ...shown } = parameters;
  const query = useQuery({
    queryKey: ['request-histogram', shown, isAdmin],
    queryFn: () =>
      read('/api/v1/requests/histogram', { query: queryOf(parameters, isAdmin, Date.now()) }),
    refetchInterval: isLive && 5 * liveMs,
    placeholderData: keepPreviousData,
  });
  // the list below says why
  if (query.error && !query.data) return null;
  return (
    <Box>
      <Loaded query={query} lines={4}>
        {(histogram) => (
          <Bars
            histogram={histogram}
            onSelect={(start, end) =>
              change({
                from: new Date(start).toISOString(),
                to: new Date(end).toISOString(),
                live: null,
              })
            }
          />
        )}
      </Loaded>
      {from && to ? (
        <Group gap="sm">
          <Text size="sm">
            {fill(texts.common.interval, { low: formatSecond(from), high: formatSecond(to) })}
          </Text>
          <SmallButton onClick={() => change({ from: null, to: null })}>
            {text.unselect}
          </SmallButton>
        </Group>
      ) : null}
    </Box>
  );
}

interface BarsProps {
  histogram: Schema<'RequestHistogramResponse'>;
  onSelect: (from: number, to: number) => void;
}

function Bars({ histogram: { times, requests, errors }, onSelect }: BarsProps) {
  const [parameters] = useParameters();
  const { failedBy: _failedBy, status: _status, code: _code, ...kept } = parameters;
  const hrefOf = (failed: string) => `/requests?${new URLSearchParams({ ...kept, failed })}`;
  const answered = requests.map((count, at) => count - (errors[at] ?? 0));
  const layers = [
    { label: texts.common.answered, values: answered, color: colorAt(0) },
    { label: text.failed, values: errors, color: errorColor },
  ];
  return (
    <Chart
      label={text.histogram}
      times={times.map((time) => Date.parse(time))}
      series={layers.map((layer, at) => ({ ...layer, href: hrefOf(String(at === 1)) }))}
      kind="stacked"
      format={formatCompact}
      height={84}
      onSelect={onSelect}
    />
  );
}
