#include "maxmargin/text/svmhmm.hpp"

#include "text/vectorise.hpp"

namespace maxmargin::bindings {

void bind_svmhmm(nb::module_& module) {
  module.def(
      "read_svmhmm",
      [](const nb::bytes& text) {
        SvmhmmText found;
        {
          nb::gil_scoped_release release;
          found = read_svmhmm({text.c_str(), text.size()});
        }
        return nb::make_tuple(found.fault, take(std::move(found.tags)), take(std::move(found.numbers)),
                              take(std::move(found.lines)), as_arrays(std::move(found.rows)));
      },
      nb::arg("text"),
      "(first faulty line or 0, tags, numbers after qid:, lines, (indptr, indices, values or None)) of the tokens.");
}

}  // namespace maxmargin::bindings
