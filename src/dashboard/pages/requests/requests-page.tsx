import { Route, Switch } from 'wouter';
import { RequestDetail } from './request-detail.js';
import { RequestList } from './request-list.js';

/** The pages `/requests` and `/requests/<id>`. */
export default function RequestsPage() {
  return (
    <Switch>
      <Route path="/requests/:id">{({ id }) => <RequestDetail id={id} key={id} />}</Route>
      <Route component={RequestList} />
    </Switch>
  );
}
