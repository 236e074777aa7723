#include "flow/ordered.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>

namespace toktier::flow {

void run_ordered_pointers(unsigned jobs, const std::function<std::shared_ptr<void>()>& read,
                          const std::function<void(void*)>& work,
                          const std::function<void(void*)>& write) {
  if (jobs <= 1) {
    while (const std::shared_ptr<void> item = read()) {
      work(item.get());
      write(item.get());
    }
    return;
  }
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, jobs);
  using Item = std::shared_ptr<void>;
  tbb::parallel_pipeline(
      jobs * 4, tbb::make_filter<void, Item>(tbb::filter_mode::serial_in_order,
                                             [&](tbb::flow_control& control) {
                                               Item item = read();
                                               if (!item) control.stop();
                                               return item;
                                             }) &
                    tbb::make_filter<Item, Item>(tbb::filter_mode::parallel,
                                                 [&](Item item) {
                                                   work(item.get());
                                                   return item;
                                                 }) &
                    tbb::make_filter<Item, void>(tbb::filter_mode::serial_in_order,
                                                 [&](const Item& item) { write(item.get()); }));
}

}  // namespace toktier::flow
