import { Anchor, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../../api/client.js';
import { Failure } from '../../components/loaded.js';
import { texts } from '../../texts/texts.js';
import type { RequestDetails } from '../../api/schema.js';

const text = texts.requests.detail;

/** Adds the request to the evaluation set, from which a router is trained. */
export function AddToEvaluations({ request }: { request: RequestDetails }) {
  const adding = useMutation({
    mutationFn: () => api.POST('/api/v1/evaluations', { body: { request_id: request.id } }),
  });
  if (adding.isSuccess)
    return (
      <Text size="sm" role="status">
        {text.evaluated}.{' '}
        <Anchor component={Link} href="/preferences/evaluations" size="sm" underline="always">
          {text.seeSet}
        </Anchor>
      </Text>
    );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={adding.isPending}
        onClick={() => adding.mutate()}
      >
        {text.evaluate}
      </Button>
      {adding.error ? <Failure error={adding.error} /> : null}
    </>
  );
}
