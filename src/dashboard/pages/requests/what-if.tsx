import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Caption, Note, PageLink } from '../../components/elements.js';
import { api, dataOf } from '../../api/client.js';
import type { RequestDetails, Schema } from '../../api/schema.js';
import { Failure } from '../../components/loaded.js';
import { type Weights, WeightSliders } from '../../components/weight-sliders.js';
import { formatUsd, reasonWords, unknownValue } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';

const text = texts.requests.detail;
/** Short, so that the answer follows the hand. */
const moveMs = 120;

type Item = Schema<'PreferencePreviewResponse'>['items'][number];

interface WhatIfProps {
  request: RequestDetails;
  /** Called with the label of the model that would win. */
  onWinner: (label: string | null) => void;
}

/** Sliders that weigh this request's candidates again, by the figures that were stored with it. */
export function WhatIf({ request, onWinner }: WhatIfProps) {
  const [weights, setWeights] = useState<Weights>({ quality: 60, cost: 30, latency: 10 });
  const [isTouched, setTouched] = useState(false);
  const [settled] = useDebouncedValue(weights, moveMs);
  const query = usePreview(request.id, settled, isTouched);
  const item = query.data?.items[0];
  const label = isTouched ? (item?.winner?.label ?? null) : null;
  useEffect(() => onWinner(label), [label, onWinner]);
  return (
    <Stack gap="sm">
      <Caption>{text.whatIf}</Caption>
      <Note>{text.whatIfHint}</Note>
      <WeightSliders
        weights={weights}
        max={100}
        step={1}
        change={(changed) => {
          setTouched(true);
          setWeights(changed);
        }}
      />
      {query.error ? <Failure error={query.error} /> : null}
      {query.data && isTouched ? (
        <Result item={item} skipped={query.data.skipped[0]?.reason} />
      ) : null}
      <PageLink href="/preferences">{text.makePreference}</PageLink>
    </Stack>
  );
}

function usePreview(id: string, weights: Weights, isTouched: boolean) {
  const isNothing = weights.quality + weights.cost + weights.latency === 0;
  return useQuery({
    queryKey: ['what-if', id, weights],
    queryFn: () =>
      dataOf(
        api.POST('/api/v1/preferences/preview', {
          body: { preference: { weights }, requests: [id] } as never,
        }),
      ),
    enabled: isTouched && !isNothing,
    placeholderData: keepPreviousData,
    staleTime: 'static',
  });
}

function Result({ item, skipped }: { item: Item | undefined; skipped: string | undefined }) {
  if (!item?.winner)
    return (
      <Text size="sm">{fill(text.notPossible, { reason: skipped ?? item?.reason ?? '' })}</Text>
    );
  const { winner, current, isChanged, change, reason } = item;
  return (
    <Stack gap={2} aria-live="polite">
      <Caption>
        {isChanged
          ? fill(text.other, { model: winner.label, current: current?.label ?? unknownValue })
          : fill(text.same, { model: winner.label })}
      </Caption>
      {isChanged && change ? (
        <Text size="sm" className="figures">
          {fill(text.change, {
            cost: signed(change.cost, formatUsd),
            quality: signed(change.quality, (value) => (value * 100).toFixed(1)),
            latency: signed(change.latency, (value) => formatMs(value * 1_000)),
          })}
        </Text>
      ) : null}
      <Note>{reasonWords(reason)}</Note>
    </Stack>
  );
}

const signed = (value: number | null, format: (size: number) => string): string =>
  value === null ? unknownValue : `${value < 0 ? '−' : '+'}${format(Math.abs(value))}`;
