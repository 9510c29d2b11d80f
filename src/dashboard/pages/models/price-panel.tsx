import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import type { Schema } from '../../api/schema.js';
import { ConfirmButton, DialogButton } from '../../components/dialog.js';
import { CodeBlock, Hint, LongText, PlainText } from '../../components/elements.js';
import { Failure, Loaded, Loading } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { formatUsd } from '../../format/numbers.js';
import { formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { switched } from '../../components/fields.js';

const text = texts.models.priceData;

/** The price data in force, and the buttons that change it; for administrators. */
export function PricePanel() {
  const revert = () => api.DELETE('/api/v1/prices');
  return (
    <Panel title={text.title}>
      <Loaded query={useRead('/api/v1/prices')} lines={2}>
        {({ source, since, url, unpriced }) => (
          <>
            <PlainText>
              {source === null
                ? text.ofPackage
                : fill(text.inForce, { source, time: formatInstant(since) })}
            </PlainText>
            {unpriced.length === 0 ? null : (
              <LongText>{fill(text.unpriced, { models: unpriced.join(', ') })}</LongText>
            )}
            {url === null ? (
              <>
                <Hint>{text.noAddress}</Hint>
                <CodeBlock code={text.example} label={text.title} />
              </>
            ) : null}
            <Group>
              {url === null ? null : <UpdateButton />}
              {source === null ? null : (
                <ConfirmButton label={text.revert} question={text.revertQuestion} act={revert} />
              )}
            </Group>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function UpdateButton() {
  const [acceptJumps, setAcceptJumps] = useState(false);
  const looking = useMutation({
    mutationFn: () => dataOf(api.POST('/api/v1/prices', { body: {} })),
    onMutate: () => setAcceptJumps(false),
  });
  const { data, error } = looking;
  const jumps = data?.counts.jumps ?? 0;
  return (
    <DialogButton
      label={text.look}
      end={{ label: text.apply, isReady: data !== undefined && (jumps === 0 || acceptJumps) }}
      onOpen={looking.mutate}
      act={() => {
        const digest = data?.digest ?? null;
        return api.POST('/api/v1/prices', { body: { apply: true, acceptJumps, digest } });
      }}
    >
      {error ? <Failure error={error} /> : null}
      {data ? <Changes {...data} /> : error ? null : <Loading lines={3} />}
      {jumps === 0 ? null : (
        <Checkbox
          label={fill(text.acceptJumps, { count: jumps })}
          {...switched(acceptJumps, setAcceptJumps)}
        />
      )}
    </DialogButton>
  );
}

const Changes = ({ counts, added, removed, changed }: Schema<'PriceUpdateResponse'>) => (
  <Stack gap="xs">
    <Text size="sm">{fill(text.counts, counts)}</Text>
    <Lines title={text.added} lines={added} />
    <Lines title={text.removed} lines={removed} />
    <Lines
      title={text.changed}
      lines={changed.map(
        ({ model, charge, from, to }) =>
          `${model} ${charge}: ${formatUsd(from)} → ${formatUsd(to)}`,
      )}
    />
  </Stack>
);

const Lines = ({ title, lines }: { title: string; lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <details open={lines.length < 10}>
      <summary>{title}</summary>
      <PlainText>{lines.join('\n')}</PlainText>
    </details>
  );
