import { Box, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useElementSize } from '@mantine/hooks';
import { Hint, Note } from '../../components/elements.js';
import { CandidateTable } from '../../components/candidate-table.js';
import { colorAt, restColor } from '../../components/chart-columns.js';
import { Panel } from '../../components/page.js';
import { ScatterPlot } from '../../components/scatter-plot.js';
import { formatUsd, reasonWords } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails, WeighedCandidate } from '../../api/schema.js';
import { scatterOf } from './scatter.js';
import { WhatIf } from './what-if.js';

const text = texts.requests.detail;

interface CandidatesProps {
  request: RequestDetails;
  /** Only its owner can weigh a request again. */
  isOwn: boolean;
}

/** What the choice was made from, and who would win with other weights. */
export function Candidates({ request, isOwn }: CandidatesProps) {
  const [winner, setWinner] = useState<string | null>(null);
  const candidates = request.plan?.candidates ?? [];
  const answered = request.code === null ? [request.provider, request.model].join('/') : '';
  if (candidates.length === 0) return null;
  const isChoice = candidates.filter(({ excluded }) => excluded === undefined).length > 1;
  return (
    <Panel title={texts.common.candidates}>
      {isChoice && request.plan?.reason ? (
        <Text size="sm" className="sentence">
          {reasonWords(request.plan.reason)}
        </Text>
      ) : null}
      {isChoice ? (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Stack gap={4}>
            <Note>{text.candidatesHint}</Note>
            <CandidateScatter candidates={candidates} answered={answered} winner={winner} />
          </Stack>
          {isOwn ? (
            <WhatIf request={request} onWinner={setWinner} />
          ) : (
            <Hint>{text.ofAnother}</Hint>
          )}
        </SimpleGrid>
      ) : (
        <Hint>{text.noPlan}</Hint>
      )}
      <CandidateTable candidates={candidates} answered={answered} />
    </Panel>
  );
}

const room = { height: 280, left: 36, right: 28, top: 12, bottom: 36 };

interface ScatterProps {
  candidates: readonly WeighedCandidate[];
  answered: string;
  /** The label of who would win; null: as it was. */
  winner: string | null;
}

/** Candidates by expected cost and predicted quality, with intervals. */
function CandidateScatter({ candidates, answered, winner }: ScatterProps) {
  const { ref, width } = useElementSize();
  const frame = { ...room, width };
  const { points, cost, quality, unknown } = scatterOf(candidates, frame);
  const colorOf = (label: string): string =>
    label === winner ? colorAt(2) : label === answered ? colorAt(0) : restColor;
  const roleOf = (label: string): string =>
    [label === answered && texts.common.answered, label === winner && text.wouldWin]
      .filter((word) => word !== false)
      .join(', ');
  return (
    <Box ref={ref}>
      <ScatterPlot
        label={text.scatter}
        frame={frame}
        quality={{ ...quality, wordsOf: (value) => `${Math.round(value * 100)}` }}
        cost={{ ...cost, wordsOf: (usd) => (usd === 0 ? text.free : formatUsd(usd)) }}
        costTitle={texts.common.expectedCost}
        points={points.map((point) => ({
          ...point,
          role: roleOf(point.label),
          color: colorOf(point.label),
        }))}
      />
      {unknown.length === 0 ? null : (
        <Note>
          {fill(text.unknownFigures, { models: unknown.map(({ label }) => label).join(', ') })}
        </Note>
      )}
    </Box>
  );
}
