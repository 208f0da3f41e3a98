// The code of the worker, as the recipe says.
import 'unspool/worker/host';
