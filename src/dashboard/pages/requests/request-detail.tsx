import { Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { PageLink, SmallButton } from '../../components/elements.js';
import { api } from '../../api/client.js';
import { importPart } from '../../api/connection.js';
import type { RequestDetails } from '../../api/schema.js';
import { isMissing } from '../../api/failure.js';
import { Empty, Failure, Loaded } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { formatSecond } from '../../format/times.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { Candidates } from './candidates.js';
import { Facts, Grounding } from './facts.js';
import { keptContentOf } from './kept-content.js';
import { causeOf, modelOf } from '../../format/outcomes.js';
import { WaterfallPanel } from './waterfall-panel.js';
import { useRead } from '../../api/queries.js';

const text = texts.requests.detail;

/** With all that shows conversations, which most visits do not need at once. */
const Content = lazy(() => importPart(() => import('./content.js')));

/** How a request ended, and who answered or was asked. */
function titleOf(request: RequestDetails): string {
  const { code, status } = request;
  const model = modelOf(request);
  if (code === null) return fill(text.titles.answered, { model });
  const { cut, failed } = text.titles;
  return fill(status < 400 ? cut : failed, { model, status, reason: causeOf(request, code) });
}

/** Adds the request to the evaluation set, from which a router is trained. */
function AddToEvaluations({ request }: { request: RequestDetails }) {
  const adding = useMutation({
    mutationFn: () => api.POST('/api/v1/evaluations', { body: { request_id: request.id } }),
  });
  if (adding.isSuccess)
    return (
      <Text size="sm" role="status">
        {text.evaluated}. <PageLink href="/preferences/evaluations">{text.seeSet}</PageLink>
      </Text>
    );
  return (
    <>
      <SmallButton loading={adding.isPending} onClick={() => adding.mutate()}>
        {text.evaluate}
      </SmallButton>
      {adding.error ? <Failure error={adding.error} /> : null}
    </>
  );
}

const back = <PageLink href="/requests">{text.back}</PageLink>;

/** The page `/requests/<id>`: what happened, and why. */
export function RequestDetail({ id }: { id: string }) {
  const query = useRead('/api/v1/requests/{id}', { path: { id } });
  const request = query.data;
  const isOwn = useAccount().id === request?.accountId;
  return (
    <Page
      title={request ? titleOf(request) : texts.common.request}
      lead={request ? formatSecond(request.at) : undefined}
      actions={
        <>
          {back}
          {request && keptContentOf(request) ? (
            <SmallButton component={Link} href={`/playground?request=${request.id}`}>
              {text.replay}
            </SmallButton>
          ) : null}
          {request && isOwn ? <AddToEvaluations request={request} /> : null}
        </>
      }
    >
      {isMissing(query.error) ? (
        <Empty title={text.missing} hint={text.missingHint} ways={[[text.back, '/requests']]} />
      ) : (
        <Loaded query={query} lines={8}>
          {(data) => <Parts request={data} isOwn={isOwn} />}
        </Loaded>
      )}
    </Page>
  );
}

const Parts = ({ request, isOwn }: { request: RequestDetails; isOwn: boolean }) => (
  <Stack gap="lg">
    <Facts request={request} />
    <WaterfallPanel request={request} />
    <Candidates request={request} isOwn={isOwn} />
    <Grounding request={request} />
    <Suspense fallback={null}>
      <Content request={request} isOwn={isOwn} />
    </Suspense>
  </Stack>
);
