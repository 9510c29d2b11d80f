import { Route, Switch } from 'wouter';
import { ConversationList } from './conversation-list.js';
import { ConversationView } from './conversation-view.js';

/** The pages `/conversations` and `/conversations/<id>`. */
export default function ConversationsPage() {
  return (
    <Switch>
      <Route path="/conversations/:id">{({ id }) => <ConversationView key={id} id={id} />}</Route>
      <Route>
        <ConversationList />
      </Route>
    </Switch>
  );
}
